"""
The state of a training on disk, from which a killed training resumes. Each step has a folder with files of
torch.distributed.checkpoint, which any number of processes can read. The first process of each node writes `state.json`
last; it names the training and the step. A damaged or incomplete state, or one of another training, is ignored.
"""

import json
import os
import re
import shutil
import zlib

import torch.distributed.checkpoint as checkpoint
from checkpoint_folder import json_bytes
from failure import Failure, unwritable

STATE_FILE = "state.json"
PART = ".safetensors"
CHECKSUM = ".crc32"
FOLDER = re.compile(r"^step-\d+$")
# Number of kept folders: the newest, and the one before, which another process may still be reading.
FOLDERS_KEPT = 2
BYTES_AT_ONCE = 1 << 24


class StateFolder:
    """
    Folder of saved states. The file `copying` exists while the last announced state is being copied: this process makes
    it, and the copying process removes it. Meanwhile no node announces another state, so all nodes copy the same ones.
    """

    def __init__(self, directory, request_hash, group, copying):
        self.directory = directory
        self.request_hash = request_hash
        self.group = group
        self.copying = copying
        try:
            os.makedirs(directory, exist_ok=True)
        except OSError as error:
            raise unwritable(directory, error)

    def save(self, step, tensors, place):
        """
        Saves a state. All processes call it, each with its own tensors. An interrupted call leaves the earlier state
        intact.
        """
        folder = self._folder(step)
        try:
            if self.group.is_first_of_node:
                # A training interrupted here may have left tensors, which must not be mixed with the new ones.
                shutil.rmtree(folder, ignore_errors=True)
                os.makedirs(folder)
            self.group.barrier()
            writer = checkpoint.HuggingFaceStorageWriter(folder, save_distributed=True)
            checkpoint.save(tensors, storage_writer=writer)
            self.group.barrier()
            own = parts_of(folder)
            for name in own[self.group.local_rank :: self.group.local_size]:
                write_replacing(os.path.join(folder, f"{name}{CHECKSUM}"), str(crc32_of(os.path.join(folder, name))).encode())
            parts = self.group.total(len(own) if self.group.is_first_of_node else 0)
            if self.group.is_first_of_node:
                state = {"request": self.request_hash, "parts": parts, "place": place}
                write_replacing(os.path.join(folder, STATE_FILE), json_bytes(state))
                self._remove_old(os.path.basename(folder))
        except OSError as error:
            raise unwritable(self.directory, error)

    def may_be_announced(self):
        """Whether the state may be announced; if so, it counts as being copied. All processes call it after `save`."""
        may = self.group.all_agree(not os.path.exists(self.copying))
        if may and self.group.is_first_of_node:
            try:
                write_replacing(self.copying, b"")
            except OSError as error:
                raise unwritable(self.copying, error)
        return may

    def files_of(self, step):
        """Files of the state on this node, relative to the folder of states."""
        folder = self._folder(step)
        return [f"{os.path.basename(folder)}/{name}" for name in sorted(os.listdir(folder))]

    def load(self, tensors):
        """
        Fills every process's tensors from the newest state of this training. Returns its place; None if there is none.
        """
        folder, place = self._newest() or (None, {"step": 0})
        if not self.group.all_equal(place["step"]) or folder is None:
            return None
        # The processes of a node check the files together, each a share of them.
        if not self.group.all_agree(self._is_whole(folder)):
            return None
        try:
            checkpoint.load(tensors, storage_reader=checkpoint.HuggingFaceStorageReader(folder))
        except Exception as error:
            # Some tensors may be overwritten already, so this attempt fails.
            shutil.rmtree(folder, ignore_errors=True)
            problem = f"{folder}: the state cannot be loaded: {str(error)[:500]}"
            raise Failure("STP1301", problem, "The next try does without it.", retryable=True)
        return place

    def _is_whole(self, folder):
        try:
            own = parts_of(folder)[self.group.local_rank :: self.group.local_size]
            return all(crc32_of(os.path.join(folder, name)) == checksum_beside(folder, name) for name in own)
        except (OSError, ValueError):
            return False

    def _newest(self):
        """Folder and place of the newest complete state; None if this training has none. Damaged ones are ignored."""
        for name in sorted(self._folders(), reverse=True):
            folder = os.path.join(self.directory, name)
            try:
                with open(os.path.join(folder, STATE_FILE), encoding="utf-8") as file:
                    state = json.load(file)
                if state["request"] == self.request_hash and state["parts"] == len(parts_of(folder)):
                    return folder, state["place"]
            except (OSError, ValueError, KeyError, TypeError):
                continue
        return None

    def _folder(self, step):
        return os.path.join(self.directory, f"step-{step:09d}")

    def _folders(self):
        return [name for name in os.listdir(self.directory) if FOLDER.match(name)]

    def _remove_old(self, newest):
        folders = sorted(self._folders())
        older = [name for name in folders if name < newest]
        stale = [name for name in folders if name > newest] + older[: len(older) - (FOLDERS_KEPT - 1)]
        for name in stale:
            shutil.rmtree(os.path.join(self.directory, name), ignore_errors=True)


def parts_of(folder):
    """Names of the files with tensors."""
    return sorted(name for name in os.listdir(folder) if name.endswith(PART))


def checksum_beside(folder, name):
    with open(os.path.join(folder, f"{name}{CHECKSUM}"), encoding="utf-8") as file:
        return int(file.read())


def crc32_of(path):
    checksum = 0
    with open(path, "rb") as file:
        while part := file.read(BYTES_AT_ONCE):
            checksum = zlib.crc32(part, checksum)
    return checksum


def write_replacing(path, content):
    partial = f"{path}.partial"
    with open(partial, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)
