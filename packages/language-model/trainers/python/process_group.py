"""The processes of one training: the number of this one, and sums over all. A single process needs no group."""

import datetime
import os

import torch
import torch.distributed as dist

# Long, because processes wait while one of them tokenises the examples, and for slow disks.
TIMEOUT = datetime.timedelta(hours=2)


class ProcessGroup:
    """
    Processes described by RANK, WORLD_SIZE, LOCAL_RANK and LOCAL_WORLD_SIZE. They meet at MASTER_ADDR if it is set
    (processes on several nodes), else through the file `rendezvous`.
    """

    def __init__(self, device, rendezvous):
        self.rank = int(os.environ.get("RANK", "0"))
        self.size = int(os.environ.get("WORLD_SIZE", "1"))
        self.local_rank = int(os.environ.get("LOCAL_RANK", str(self.rank)))
        self.local_size = int(os.environ.get("LOCAL_WORLD_SIZE", str(self.size)))
        self.device = torch.device("cuda", self.local_rank) if device == "cuda" else torch.device("cpu")
        if device == "cuda":
            torch.cuda.set_device(self.device)
        if self.size > 1:
            method = "env://" if "MASTER_ADDR" in os.environ else f"file://{rendezvous}"
            backend = "nccl" if device == "cuda" else "gloo"
            dist.init_process_group(backend, init_method=method, rank=self.rank, world_size=self.size, timeout=TIMEOUT)

    @property
    def is_first(self):
        return self.rank == 0

    @property
    def is_first_of_node(self):
        return self.local_rank == 0

    def sum(self, tensor):
        """Sums a tensor over all processes, in place."""
        if self.size > 1:
            dist.all_reduce(tensor)
        return tensor

    def total(self, number):
        """Sums an integer over all processes."""
        return self.sum(torch.tensor(number, device=self.device)).item()

    def all_agree(self, value):
        """Whether the value is true in every process."""
        return self.total(0 if value else 1) == 0

    def all_equal(self, number):
        """Whether the integer, of less than 63 bits, is the same in every process."""
        if self.size == 1:
            return True
        extremes = torch.tensor([number, -number], device=self.device)
        dist.all_reduce(extremes, op=dist.ReduceOp.MAX)
        largest, smallest = extremes.tolist()
        return largest == -smallest

    def barrier(self):
        self.sum(torch.zeros(1, device=self.device)).item()

    def close(self):
        if self.size > 1:
            dist.destroy_process_group()
