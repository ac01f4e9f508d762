"""
Weights from the Hugging Face hub: describes a repository, or fetches one revision of it into a folder and compares each
file with the checksum that the hub states. `python fetch_weights.py` reads a request on standard input and answers on
standard output, both JSON. It does not fetch code, pickles, or files that no trainer or server reads. Needs
huggingface_hub.

With `"values": false` the folder gets what describes the model: the small files whole, and the header of each file of
weights, followed by a hole of the size of its values.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import sys

from checkpoint_folder import PICKLED, file_sha256
from failure import Failure

WANTED = (".safetensors", ".safetensors.index.json", ".json", ".jinja", ".txt", ".model")
# Weights as `optimum-cli export onnx` writes them. They are fetched only if there are no safetensors.
GRAPHS = (".onnx", ".onnx_data")
LICENCES = ("LICENSE", "LICENCE", "NOTICE", "README.md")
# Matches files at the top level only.
NAME = re.compile(r"\w[\w.-]{0,254}", re.ASCII)
CHUNK = 1 << 24
INDEX = "model.safetensors.index.json"
SINGLE = "model.safetensors"
# Files that describe a model, in addition to the headers of its weights.
DESCRIBING = ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja", INDEX)
DESCRIBING_BYTES_MAX = 1 << 26
# Most headers are shorter. A longer one is requested again, whole.
HEADER_BYTES_FIRST = 1 << 16
HEADER_BYTES_MAX = 1 << 24
LENGTH_BYTES = 8
REQUESTS_AT_ONCE = 4
SECONDS_OF_SILENCE_MAX = 30


def main():
    request = json.load(sys.stdin)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        answer = {"type": "fetched" if request["folder"] else "found", **work(request)}
    except Failure as failure:
        answer = {"type": "failed", "code": failure.code, "message": str(failure), "advice": failure.advice}
    except ModuleNotFoundError as error:
        advice = "Install huggingface-hub for this Python, or infra/bootstrap/locks/pytorch.txt, or name another with --python."
        answer = {"type": "failed", "code": "STP1301", "message": f"Python has no module {error.name}", "advice": advice}
    json.dump(answer, answers)


def work(request):
    from huggingface_hub import HfApi
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RepositoryNotFoundError, RevisionNotFoundError

    name, revision = request["repository"], request["revision"]
    try:
        found = HfApi().model_info(name, revision=revision, files_metadata=True)
        holds = any(file.rfilename.endswith(".safetensors") for file in found.siblings or [] if is_wanted(file.rfilename, WANTED))
        wanted = WANTED if holds else (*WANTED, *GRAPHS)
        files = [file for file in found.siblings or [] if is_wanted(file.rfilename, wanted)]
        if not any(file.rfilename.endswith((".safetensors", ".onnx")) for file in files):
            if any(file.rfilename.endswith(PICKLED) for file in found.siblings or []):
                advice = "Look for a revision with safetensors; pickled weights can run any program and are refused."
                raise Failure("STP1302", f"{name} has its weights in pickles alone", advice)
            raise Failure("STP1302", f"{name} holds no weights", "Name the repository of a model.")
        card = found.card_data
        said = {
            "commit": found.sha,
            "licence": str((card.get("license") if card else None) or "not stated"),
            "gated": bool(found.gated),
            "bytes": sum(file.size or 0 for file in files),
            "files": sorted(file.rfilename for file in files),
        }
        if request["folder"] is None:
            return said
        if request["values"]:
            fetch(name, found.sha, files, request["folder"])
            check(files, request["folder"])
        else:
            describe(name, found.sha, files, request["folder"])
        return said
    except GatedRepoError:
        advice = "Accept its terms on its page, and put a token of that account into HF_TOKEN."
        raise Failure("STP1002", f"{name} is open only to those who accepted its terms", advice)
    except RevisionNotFoundError:
        raise Failure("STP1002", f"{name} has no revision {revision}", "See its page for its commits.")
    except RepositoryNotFoundError:
        raise Failure("STP1002", f"the hub has no model {name} that this machine may see", "Check owner and name, and HF_TOKEN.")
    except HfHubHTTPError as error:
        raise unreachable(name, error)
    except OSError as error:
        # Errors of connections and of files.
        raise unreachable(name, error)
    except Failure:
        raise
    except Exception as error:
        if "connect" in type(error).__name__.lower() or "timeout" in type(error).__name__.lower():
            raise unreachable(name, error)
        raise


def unreachable(name, error):
    advice = (
        "Fetch it on a machine that reaches the hub, copy the folder here and give the folder; or set HF_ENDPOINT to a mirror."
    )
    return Failure("STP1405", f"{name} cannot be had from the hub from this machine: {str(error)[:300]}", advice)


def is_wanted(path, endings):
    return NAME.fullmatch(path) is not None and (path.endswith(endings) or path.startswith(LICENCES))


def fetch(name, commit, files, folder):
    from huggingface_hub import snapshot_download

    snapshot_download(name, revision=commit, local_dir=folder, allow_patterns=[file.rfilename for file in files])
    # Removes the library's notes on its downloads.
    shutil.rmtree(os.path.join(folder, ".cache"), ignore_errors=True)


def describe(name, commit, files, folder):
    small = [file for file in files if file.rfilename in DESCRIBING and (file.size or 0) <= DESCRIBING_BYTES_MAX]
    for file in small:
        write(folder, file, read_start(name, commit, file.rfilename, DESCRIBING_BYTES_MAX))
    check(small, folder)
    names = names_in_index(folder) if any(file.rfilename == INDEX for file in small) else {SINGLE}
    weights = [file for file in files if file.rfilename in names]
    with concurrent.futures.ThreadPoolExecutor(REQUESTS_AT_ONCE) as pool:
        for _ in pool.map(lambda file: write(folder, file, read_header(name, commit, file.rfilename)), weights):
            pass


def names_in_index(folder):
    """Returns no names for a damaged index: the reader of the folder says what is wrong with it."""
    try:
        with open(os.path.join(folder, INDEX), encoding="utf-8") as index:
            return set(json.load(index)["weight_map"].values())
    except (ValueError, LookupError, TypeError, AttributeError):
        return set()


def read_header(name, commit, file):
    start = read_start(name, commit, file, HEADER_BYTES_FIRST)
    end = LENGTH_BYTES + int.from_bytes(start[:LENGTH_BYTES], "little")
    # The reader of the folder refuses a length that no header has.
    return start[:end] if end <= len(start) or end > HEADER_BYTES_MAX else read_start(name, commit, file, end)


def read_start(name, commit, file, count):
    """The first bytes of a file. A server that knows no ranges would send all of it, so the rest is not read."""
    from huggingface_hub import hf_hub_url
    from huggingface_hub.utils import build_hf_headers, get_session, hf_raise_for_status

    headers = {**build_hf_headers(), "Range": f"bytes=0-{count - 1}", "Accept-Encoding": "identity"}
    url = hf_hub_url(name, file, revision=commit)
    with get_session().stream("GET", url, headers=headers, timeout=SECONDS_OF_SILENCE_MAX) as response:
        if response.status_code >= 400:
            response.read()
            hf_raise_for_status(response)
        content = bytearray()
        for part in response.iter_bytes():
            content += part
            if len(content) >= count:
                break
    return bytes(content[:count])


def write(folder, file, start):
    with open(os.path.join(folder, file.rfilename), "wb") as written:
        written.write(start)
        written.truncate(max(len(start), file.size or 0))


def check(files, folder):
    """Checks the files. The hub states a SHA-256 for large files, and Git's content hash for small ones."""
    for file in files:
        path = os.path.join(folder, file.rfilename)
        wrong = file.lfs.sha256 != file_sha256(path) if file.lfs else file.blob_id != git_blob_id(path)
        if wrong:
            os.remove(path)
            raise Failure("STP1204", f"{path} is not the file that the hub states", "Fetch it again.")


def git_blob_id(path):
    digest = hashlib.sha1(f"blob {os.path.getsize(path)}\0".encode())
    with open(path, "rb") as file:
        while part := file.read(CHUNK):
            digest.update(part)
    return digest.hexdigest()


if __name__ == "__main__":
    main()
