"""
Weights over several processes: every process with all of them (gradients are summed), or with a share of each
(`fully_shard` of PyTorch, a group a layer). Both leave local tensors to the optimizer and give whole ones back by name.
"""

import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor


def is_sharded(parameter):
    return isinstance(parameter, DTensor)


def local(tensor):
    return tensor.to_local() if is_sharded(tensor) else tensor


class ShardedModel:
    """Takes a model on the meta device, gives it memory, and fills it from `weights`."""

    def __init__(self, model, group, parallelism, precision, weights):
        self.model = model
        self.group = group
        self.uses_shards = parallelism == "fsdp" and group.size > 1
        self.autocast = precision == "bfloat16" and not self.uses_shards
        if self.uses_shards:
            mesh = init_device_mesh(group.device.type, (group.size,))
            computed_in = torch.bfloat16 if precision == "bfloat16" else torch.float32
            policy = MixedPrecisionPolicy(param_dtype=computed_in, reduce_dtype=torch.float32)
            for layer in model.model.layers:
                fully_shard(layer, mesh=mesh, mp_policy=policy)
            fully_shard(model, mesh=mesh, mp_policy=policy)
        model.to_empty(device=group.device)
        self.parameters = dict(model.named_parameters())
        with torch.no_grad():
            for name, parameter in self.parameters.items():
                whole = weights.tensor(name, parameter.shape).to(group.device, torch.float32)
                if self.uses_shards:
                    # Each process has read the tensor: nobody sends it.
                    shares = distribute_tensor(whole, parameter.device_mesh, parameter.placements, src_data_rank=None)
                    local(parameter).copy_(local(shares))
                else:
                    parameter.copy_(whole)

    @property
    def gradient_scale(self):
        """What a loss is multiplied by so that gradients are sums: `fully_shard` takes the mean over the processes."""
        return self.group.size if self.uses_shards else 1

    def backward(self, batch):
        """Adds the gradients of a micro-batch; its loss, of this process alone."""
        loss = self.loss(batch)
        loss.backward()
        return loss.detach()

    def loss(self, batch):
        with torch.autocast(self.group.device.type, torch.bfloat16, enabled=self.autocast):
            return self.model(batch)

    def last_of_step(self, is_last):
        """Shares are sent around once a step, with the last micro-batch."""
        if self.uses_shards:
            self.model.set_requires_gradient_sync(is_last)

    def gradients(self):
        """Local gradients by name, summed over the processes and the step's micro-batches."""
        gradients = {}
        for name, parameter in self.parameters.items():
            gradient = parameter.grad
            if gradient is None:
                gradient = torch.zeros_like(parameter)
            gradients[name] = local(gradient) if self.uses_shards else self.group.sum(gradient)
        return gradients

    def norm_of(self, gradients):
        """Square root of the sum of squares over all gradients, a float32 scalar."""
        total = torch.stack([gradient.float().square().sum() for gradient in gradients.values()]).sum()
        return (self.group.sum(total) if self.uses_shards else total).sqrt()

    def clear_gradients(self):
        for parameter in self.parameters.values():
            parameter.grad = None

    def local_parameters(self):
        return {name: local(parameter.detach()) for name, parameter in self.parameters.items()}

    def whole(self, name):
        """The whole tensor; with shares every process must ask for it."""
        parameter = self.parameters[name].detach()
        return parameter.full_tensor() if is_sharded(parameter) else parameter
