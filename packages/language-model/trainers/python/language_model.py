"""
The model that is trained: any causal language model that transformers loads, with all its weights or by adapters of
peft. With several processes PyTorch's `fully_shard` keeps a share or a copy of each tensor in every process, and
combines the gradients. A row holds several examples. Positions restart with each example, so transformers masks them
from one another.
"""

import os
import re

import torch
import torch.distributed as dist
import torch.nn.functional as F
from checkpoint_folder import ADAPTER_CONFIG_FILE, ADAPTER_FILE, read_json
from failure import damaged, invalid_request
from safetensors import safe_open
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict, set_model_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.utils import logging

# Progress bars would fill the log.
logging.disable_progress_bar()

# Names of dropout rates in configurations. They are set to 0, so that a loss can be repeated and compared.
DROPOUT = re.compile(r"drop(out|_rate)?$|_pdrop$")
# Largest difference that rounding explains, as a share of the largest logit.
SEEN_NEIGHBOUR = 1e-4


class LanguageModel:
    """
    A trained model. `folder` has its weights, or its adapter; `base` is the folder of the whole model below an adapter.
    """

    def __init__(self, request, group, folder, base, config):
        self.request, self.group, self.folder, self.base, self.config = request, group, folder, base, config
        self.computed = getattr(torch, request["precision"])
        self.trained = torch.float32 if request["floatMasters"] else self.computed
        self.is_sharded = group.size > 1
        adapter = request["lora"]
        self.is_quantised = adapter is not None and adapter["quantised"]
        # Seeds the first values of adapters.
        torch.manual_seed(request["seed"] % 2**63)
        if not self.is_sharded:
            # Quantised weights are on the device since they were read.
            self.module = self._read() if self.is_quantised else self._read().to(group.device)
        elif self.is_quantised:
            self.module = self._share_out(self._read())
        else:
            self.module = self._read_once_for_all()
        self.module.train()
        if request["recomputeActivations"]:
            self.module.activation_checkpointing_enable({"use_reentrant": False})
            # A layer with frozen weights is recomputed only if its input has gradients.
            self.module.enable_input_require_grads()
        autocasts = not self.is_sharded and self.computed != self.trained
        self.autocast = lambda: torch.autocast(group.device.type, self.computed, enabled=autocasts)
        self._scored = None
        self._watch_head()
        self.keeps_apart = not self._sees_neighbours()

    @property
    def gradient_scale(self):
        """Factor of a loss that makes gradients sums: `fully_shard` takes the mean over the processes."""
        return self.group.size if self.is_sharded else 1

    def log_probabilities(self, batch):
        """Log-probabilities of the batch's scored tokens, nats, float32 [predictors]."""
        logits = self._logits(batch["tokens"], batch["positions"], batch["predictors"])
        return -F.cross_entropy(logits, batch["labels"], reduction="none")

    def loss(self, batch):
        """Sum over the batch's scored tokens of weight × −log p, nats, a float32 scalar of this process alone."""
        return -(self.log_probabilities(batch) * batch["weights"]).sum()

    def last_of_step(self, is_last):
        """Makes the processes exchange gradients once a step, with the last micro-batch."""
        if self.is_sharded:
            self.module.set_requires_gradient_sync(is_last)

    def trained_parameters(self):
        return {name: parameter for name, parameter in self.module.named_parameters() if parameter.requires_grad}

    def decays(self, parameter):
        """Whether weight decay applies: to matrices, not to norms and the embedding (docs/algorithm.md, section 8)."""
        return parameter.dim() > 1 and parameter is not self.module.get_input_embeddings().weight

    def count(self):
        """Number of trained values."""
        return sum(parameter.numel() for parameter in self.trained_parameters().values())

    def gathered(self):
        """Whole trained tensors by name, on the CPU of the first process. Every process must call it."""
        options = StateDictOptions(full_state_dict=True, cpu_offload=True, ignore_frozen_params=True)
        tensors = get_model_state_dict(self.module, options=options)
        # Leaves out a head that is the embedding itself, and data beside quantised weights, which belong to no adapter.
        unwanted = set(self.module.all_tied_weights_keys or {})
        if self.request["lora"] is not None:
            unwanted |= tensors.keys() - self.trained_parameters().keys()
        return {name: tensor for name, tensor in tensors.items() if name not in unwanted}

    def save(self, folder, tensors):
        """
        Writes gathered tensors as weights, as an adapter merged into the weights, or as a separate one. One process
        calls it.
        """
        stored = getattr(torch, self.config.dtype)
        lora = self.request["lora"]
        if lora is None:
            tensors = {name: tensor.to(stored) if tensor.is_floating_point() else tensor for name, tensor in tensors.items()}
            return self.module.save_pretrained(folder, state_dict=tensors, max_shard_size="1000TB")
        if lora["output"] == "separate":
            model = self._with_adapter(self._empty(self.trained))
            model.active_peft_config.base_model_name_or_path = self.request["baseName"]
            return model.save_pretrained(folder, state_dict={f"base_model.model.{name}": part for name, part in tensors.items()})
        # Merges into weights of full precision, even if the weights below the adapter were quantised.
        model = self._with_adapter(read_model(self.base, torch.float32, self.request))
        unknown = model.get_base_model().load_state_dict(tensors, strict=False).unexpected_keys
        if unknown:
            raise RuntimeError(f"the trained adapter has {unknown[0]}, which the model does not")
        return model.merge_and_unload().to(stored).save_pretrained(folder, max_shard_size="1000TB")

    def _read(self):
        """Reads a module with the values of the folders."""
        lora = self.request["lora"]
        if lora is None:
            return read_model(self.folder, self.trained, self.request)
        module = read_model(self.base, self.computed, self.request, self.group.device if self.is_quantised else None)
        if self.is_quantised:
            from peft import prepare_model_for_kbit_training

            module = prepare_model_for_kbit_training(module, use_gradient_checkpointing=False)
        model = self._with_adapter(module)
        if self.folder != self.base:
            self._fill_adapter(model)
        return self._in_trained_type(model.get_base_model())

    def _empty(self, dtype):
        """Makes a module without values."""
        config = read_model_config(self.base)
        with torch.device("meta"):
            return AutoModelForCausalLM.from_config(config, dtype=dtype, **library_options(self.request))

    def _with_adapter(self, module):
        """Wraps the module in a peft model, whose `get_base_model()` contains the adapter."""
        from peft import LoraConfig, get_peft_model

        lora = self.request["lora"]
        asked = LoraConfig(
            r=lora["rank"],
            lora_alpha=lora["alpha"],
            lora_dropout=0.0,
            target_modules=lora["targets"] if len(lora["targets"]) > 0 else "all-linear",
            task_type="CAUSAL_LM",
        )
        parts = {name.rsplit(".", 1)[-1] for name, part in module.named_modules() if isinstance(part, torch.nn.Linear)}
        missing = sorted(set(lora["targets"]) - parts)
        if missing:
            problem = f"engines.trainer.lora.targets names {', '.join(missing)}, which the model does not have"
            raise invalid_request(problem, f"It has {', '.join(sorted(parts))}.")
        try:
            return get_peft_model(module, asked)
        except ValueError as error:
            raise invalid_request(f"peft refuses the adapter: {error}", "Change engines.trainer.lora.")

    def _fill_adapter(self, model):
        """Loads the folder's adapter, which must have the same rank, alpha and targets."""
        from peft import set_peft_model_state_dict
        from safetensors.torch import load_file

        path = os.path.join(self.folder, ADAPTER_FILE)
        try:
            tensors = load_file(path)
        except Exception as error:
            raise damaged(path, str(error))
        lora, said = self.request["lora"], read_json(os.path.join(self.folder, ADAPTER_CONFIG_FILE))
        try:
            found = set_peft_model_state_dict(model, tensors)
            fits = (said.get("r"), said.get("lora_alpha")) == (lora["rank"], lora["alpha"])
            fits = fits and not found.unexpected_keys and not any(".lora_" in name for name in found.missing_keys)
        except RuntimeError:
            # A size differs.
            fits = False
        if not fits:
            problem = f"{path} is not an adapter of the rank, alpha and targets in engines.trainer.lora"
            raise invalid_request(problem, f"Give those in its {ADAPTER_CONFIG_FILE}, or start from a merged checkpoint.")

    def _in_trained_type(self, module):
        for parameter in module.parameters():
            if parameter.requires_grad:
                parameter.data = parameter.data.to(self.trained)
        return module

    def _read_once_for_all(self):
        """Reads the weights in the first process and sends each other process its share."""
        whole = self._read() if self.group.is_first else None
        if self.request["lora"] is None:
            module = self._empty(self.trained)
        else:
            module = self._in_trained_type(self._with_adapter(self._empty(self.computed)).get_base_model())
        self._share_out(module).to_empty(device=self.group.device)
        module.tie_weights()
        values = whole.state_dict() if whole is not None else {}
        set_model_state_dict(module, values, options=StateDictOptions(full_state_dict=True, broadcast_from_rank0=True))
        # Buffers such as rotary angles are in no folder.
        found = dict(whole.named_buffers()) if whole is not None else {}
        for name, buffer in module.named_buffers():
            if whole is not None:
                buffer.copy_(found[name])
            dist.broadcast(buffer, 0)
        return module

    def _share_out(self, module):
        group = self.group
        if self.request["parallelism"] == "fsdp":
            mesh = init_device_mesh(group.device.type, (group.size,), mesh_dim_names=("share",))
        else:
            mesh = init_device_mesh(group.device.type, (group.size, 1), mesh_dim_names=("copy", "share"))
        options = {"mesh": mesh, "mp_policy": MixedPrecisionPolicy(param_dtype=self.computed, reduce_dtype=torch.float32)}
        if self.is_quantised:
            # Four-bit weights cannot be sharded. They are small enough for a copy in every process.
            options["ignored_params"] = {parameter for parameter in module.parameters() if not parameter.requires_grad}
        layers = set(module._no_split_modules or ())
        parts = [part for part in module.modules() if type(part).__name__ in layers]
        if not parts:
            problem = f"transformers names no layers of {type(module).__name__} that processes could share"
            raise invalid_request(problem, "Use one process.")
        for part in parts:
            fully_shard(part, **options)
        return fully_shard(module, **options)

    def _watch_head(self):
        """Makes the head compute only the few scored positions. What a model does to its logits afterwards stays."""
        head = self.module.get_output_embeddings()
        self._cuts_head = isinstance(head, torch.nn.Module)
        if self._cuts_head:
            head.register_forward_pre_hook(lambda _, given: (scored_of(given[0], self._scored), *given[1:]))

    def _logits(self, tokens, positions, predictors):
        """Logits, float32 [predictors, vocabulary], at `predictors`, which are positions in the flattened rows."""
        self._scored = predictors
        with self.autocast():
            logits = self.module(input_ids=tokens, position_ids=positions, use_cache=False).logits
        if self.is_sharded and not torch.is_grad_enabled():
            # Without this, the outermost module would keep its gathered weights for a backward pass.
            self.module.reshard()
        return (logits if self._cuts_head else scored_of(logits, predictors))[0].float()

    @torch.no_grad()
    def _sees_neighbours(self):
        """
        Whether an example's logits depend on the example before it in its row. This is so for models that carry a state
        along, and for kernels that ignore positions. Then a row can hold only one example.
        """
        length, device = 8, self.group.device
        first = torch.arange(1, length + 1, device=device) % self.config.vocabulary_size
        second = torch.arange(length, device=device) % self.config.vocabulary_size
        tokens = torch.stack([torch.cat([first, second]), torch.cat([first.flip(0), second])])
        positions = torch.arange(length, device=device).repeat(2, 2)
        predictors = torch.cat([torch.arange(length, 2 * length), torch.arange(3 * length, 4 * length)]).to(device)
        alone, other = self._logits(tokens, positions, predictors).view(2, length, -1)
        return bool((alone - other).abs().max() > SEEN_NEIGHBOUR * alone.abs().max())


def scored_of(hidden, places):
    """Selects positions of the flattened rows: [rows, length, size] to [1, places, size]."""
    return hidden.flatten(0, 1).index_select(0, places)[None]


def library_options(request):
    attention = request["attention"]
    return {"trust_remote_code": False} | ({} if attention == "auto" else {"attn_implementation": attention})


def read_model_config(directory):
    path = os.path.join(directory, "config.json")
    try:
        config = AutoConfig.from_pretrained(directory, local_files_only=True, trust_remote_code=False)
    except Exception as error:
        raise damaged(path, f"transformers does not load it: {str(error)[:500]}")
    for part in (config, getattr(config, "text_config", None)):
        for name, value in list(vars(part).items()) if part is not None else ():
            if DROPOUT.search(name) and isinstance(value, float):
                setattr(part, name, 0.0)
    return config


def read_model(directory, dtype, request, quantised_on=None):
    """
    Reads a module on the CPU, or quantised to four bits on a device. Failure STP1302 if the weights do not fit the
    model.
    """
    options = {"config": read_model_config(directory), "dtype": dtype, "use_safetensors": True, "local_files_only": True}
    if quantised_on is not None:
        from transformers import BitsAndBytesConfig

        options["quantization_config"] = BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True, bnb_4bit_compute_dtype=dtype
        )
        options["device_map"] = {"": quantised_on}
    try:
        module, found = AutoModelForCausalLM.from_pretrained(
            directory, output_loading_info=True, **options, **library_options(request)
        )
    except (ImportError, MemoryError, torch.OutOfMemoryError):
        raise
    except Exception as error:
        raise damaged(unreadable_part(directory), f"transformers does not load it: {str(error)[:500]}")
    for kind in ("missing_keys", "mismatched_keys", "unexpected_keys"):
        if found[kind]:
            name = sorted(map(str, found[kind]))[0]
            raise damaged(directory, f"tensor {name}: {kind.split('_')[0]} (of {len(found[kind])})")
    for name, parameter in module.named_parameters():
        if parameter.is_floating_point() and not torch.isfinite(parameter).all():
            raise damaged(directory, f"tensor {name} holds a value that is not finite")
    return module


def unreadable_part(directory):
    """Finds the first file of weights that does not open, else the folder. The library's errors name no file."""
    for name in sorted(os.listdir(directory)):
        path = os.path.join(directory, name)
        try:
            if name.endswith(".safetensors"):
                with safe_open(path, framework="pt"):
                    pass
        except Exception:
            return path
    return directory


def batch_of(rows, training_set, weights_of, device):
    """
    Makes tensors of rows of sequence numbers. `weights_of` gives the weights of a sequence's target tokens. Without
    rows the batch is one row of padding.
    """
    length = max((sum(training_set.lengths[at] for at in sequences) for sequences in rows), default=1)
    tokens = torch.zeros(max(1, len(rows)), length, dtype=torch.int64)
    positions = torch.zeros_like(tokens)
    predictors, labels, weights = [], [], []
    for row, sequences in enumerate(rows):
        base = 0
        for at in sequences:
            ids = torch.frombuffer(training_set.tokens(at), dtype=torch.int32).to(torch.int64)
            end, prompt = base + len(ids), training_set.prompt_lengths[at]
            tokens[row, base:end] = ids
            positions[row, base:end] = torch.arange(len(ids))
            first = row * length + base + prompt
            predictors.append(torch.arange(first - 1, row * length + end - 1))
            labels.append(ids[prompt:])
            weights.append(weights_of(at))
            base = end
        # Padding has positions of its own, like another text.
        positions[row, base:] = torch.arange(length - base)
    if not rows:
        predictors, labels, weights = [torch.zeros(1, dtype=torch.int64)], [torch.zeros(1, dtype=torch.int64)], [torch.zeros(1)]
    parts = {"predictors": torch.cat(predictors), "labels": torch.cat(labels), "weights": torch.cat(weights).float()}
    return {name: tensor.to(device) for name, tensor in {"tokens": tokens, "positions": positions, **parts}.items()}
