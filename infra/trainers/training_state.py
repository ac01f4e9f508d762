"""
The state of a training on disk, so that a killed one can go on. Each process writes its own tensors into a folder of the
step; `latest.json`, replaced last, names that folder and whose training it is. What is damaged or another training's is as
good as none.
"""

import json
import os
import re
import shutil
import zlib

import torch
from checkpoint_folder import bytes_of, json_bytes, write_safetensors
from failure import unwritable
from safetensors import safe_open

LATEST = "latest.json"
FOLDER = re.compile(r"^step-\d+$")
# The one that is named and the one before: whoever copies the older is not cut short by the next.
FOLDERS_KEPT = 2


class StateFolder:
    def __init__(self, directory, request_hash, group):
        self.directory = directory
        self.request_hash = request_hash
        self.group = group
        try:
            os.makedirs(directory, exist_ok=True)
        except OSError as error:
            raise unwritable(directory, str(error))

    def save(self, step, tensors, place):
        """All processes call it, each with its own tensors; an interrupted one leaves the state before it as it was."""
        folder = os.path.join(self.directory, f"step-{step:09d}")
        name = self._name()
        try:
            os.makedirs(folder, exist_ok=True)
            for left in (f"{name}.safetensors", f"{name}.crc32"):
                if os.path.exists(os.path.join(folder, left)):
                    os.remove(os.path.join(folder, left))
            entries = {key: ("F32", torch.float32, tensor.shape) for key, tensor in tensors.items()}
            path = os.path.join(folder, f"{name}.safetensors")
            checksum = write_safetensors(path, entries, tensors.__getitem__, {"format": "pt"})
            write_replacing(os.path.join(folder, f"{name}.crc32"), str(checksum).encode())
            self.group.barrier()
            if self.group.is_first:
                latest = {"request": self.request_hash, "folder": os.path.basename(folder), "place": place}
                write_replacing(os.path.join(self.directory, LATEST), json_bytes(latest))
                self._remove_old(os.path.basename(folder))
        except OSError as error:
            raise unwritable(self.directory, str(error))

    def load(self, tensors):
        """Fills the tensors of every process with what was kept of this training and gives its place; None where none was."""
        found = self._read(tensors)
        if not self.group.all_agree(found is not None):
            return None
        place, kept = found
        with torch.no_grad():
            for key, tensor in tensors.items():
                tensor.copy_(kept(key))
        return place

    def _read(self, tensors):
        try:
            with open(os.path.join(self.directory, LATEST), encoding="utf-8") as file:
                latest = json.load(file)
            if latest["request"] != self.request_hash or not FOLDER.match(latest["folder"]):
                return None
            folder = os.path.join(self.directory, latest["folder"])
            with open(os.path.join(folder, f"{self._name()}.crc32"), encoding="utf-8") as file:
                expected = int(file.read())
            opened = safe_open(os.path.join(folder, f"{self._name()}.safetensors"), framework="pt")
            checksum = 0
            for key, tensor in tensors.items():
                kept = opened.get_tensor(key)
                if kept.shape != tensor.shape:
                    return None
                checksum = zlib.crc32(bytes_of(kept), checksum)
            return (latest["place"], opened.get_tensor) if checksum == expected else None
        except Exception:
            # Not there, cut short or altered: the training begins anew and gives the same weights.
            return None

    def _name(self):
        return f"rank-{self.group.rank}-of-{self.group.size}"

    def _remove_old(self, newest):
        folders = sorted(name for name in os.listdir(self.directory) if FOLDER.match(name))
        older = [name for name in folders if name < newest]
        stale = [name for name in folders if name > newest] + older[: len(older) - (FOLDERS_KEPT - 1)]
        for name in stale:
            shutil.rmtree(os.path.join(self.directory, name), ignore_errors=True)


def write_replacing(path, content):
    partial = f"{path}.partial"
    with open(partial, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)
