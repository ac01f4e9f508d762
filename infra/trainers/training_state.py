"""
The state of a training on disk, so that a killed training can resume. Each process writes its own tensors into a folder
of the step; `state.json`, written last by the first process of the node, names the training and the step. A damaged
state, or one of another training, is ignored.
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

STATE_FILE = "state.json"
FOLDER = re.compile(r"^step-\d+$")
# The newest and the one before: a process that was told of the older one can still read its files.
FOLDERS_KEPT = 2


class StateFolder:
    """
    `copying`: a file that is there while what was announced last is being copied. We make it, who copies removes it. No
    state is announced meanwhile on any node, so that all nodes copy the same ones.
    """

    def __init__(self, directory, request_hash, group, copying):
        self.directory = directory
        self.request_hash = request_hash
        self.group = group
        self.copying = copying
        try:
            os.makedirs(directory, exist_ok=True)
        except OSError as error:
            raise unwritable(directory, str(error))

    def save(self, step, tensors, place):
        """All processes call it, each with its own tensors; an interrupted one leaves the state before it as it was."""
        folder, name = self._folder(step), self._name()
        try:
            if self.group.is_first_of_node:
                # Left by a training that was interrupted after this step: tensors of two trainings must not be mixed.
                shutil.rmtree(folder, ignore_errors=True)
                os.makedirs(folder)
            self.group.barrier()
            entries = {key: ("F32", torch.float32, tensor.shape) for key, tensor in tensors.items()}
            path = os.path.join(folder, f"{name}.safetensors")
            checksum = write_safetensors(path, entries, tensors.__getitem__, {"format": "pt"})
            write_replacing(os.path.join(folder, f"{name}.crc32"), str(checksum).encode())
            self.group.barrier()
            if self.group.is_first_of_node:
                state = {"request": self.request_hash, "place": place}
                write_replacing(os.path.join(folder, STATE_FILE), json_bytes(state))
                self._remove_old(os.path.basename(folder))
        except OSError as error:
            raise unwritable(self.directory, str(error))

    def may_be_announced(self):
        """All processes call it after `save`. Where it is true the state counts as being copied from now on."""
        may = self.group.all_agree(not os.path.exists(self.copying))
        if may and self.group.is_first_of_node:
            try:
                write_replacing(self.copying, b"")
            except OSError as error:
                raise unwritable(self.copying, str(error))
        return may

    def files_of(self, step):
        """What this node has of the state, relative to the folder of states."""
        folder = self._folder(step)
        return [f"{os.path.basename(folder)}/{name}" for name in sorted(os.listdir(folder))]

    def load(self, tensors):
        """Fills the tensors of every process with what was kept of this training and gives its place; None where none was."""
        found = self._read(tensors)
        step = 0 if found is None else found[0]["step"]
        if not self.group.all_equal(step) or step == 0:
            return None
        place, kept = found
        with torch.no_grad():
            for key, tensor in tensors.items():
                tensor.copy_(kept(key))
        return place

    def _read(self, tensors):
        try:
            folder, place = self._newest()
            with open(os.path.join(folder, f"{self._name()}.crc32"), encoding="utf-8") as file:
                expected = int(file.read())
            opened = safe_open(os.path.join(folder, f"{self._name()}.safetensors"), framework="pt")
            checksum = 0
            for key, tensor in tensors.items():
                kept = opened.get_tensor(key)
                if kept.shape != tensor.shape:
                    return None
                checksum = zlib.crc32(bytes_of(kept), checksum)
            return (place, opened.get_tensor) if checksum == expected else None
        except Exception:
            # Not there, cut short or altered: the training begins anew and gives the same weights.
            return None

    def _newest(self):
        """Folder and place of the newest complete state; an error if this training has none."""
        for name in sorted(self._folders(), reverse=True):
            path = os.path.join(self.directory, name, STATE_FILE)
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    state = json.load(file)
                if state["request"] == self.request_hash:
                    return os.path.join(self.directory, name), state["place"]
        raise FileNotFoundError(self.directory)

    def _folder(self, step):
        return os.path.join(self.directory, f"step-{step:09d}")

    def _folders(self):
        return [name for name in os.listdir(self.directory) if FOLDER.match(name)]

    def _name(self):
        return f"rank-{self.group.rank}-of-{self.group.size}"

    def _remove_old(self, newest):
        folders = sorted(self._folders())
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
