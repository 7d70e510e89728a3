"""The names that callers of `shardrill solve` use for a drill's parameters beside the drill's own.

A name of the drill (key, symbol or alias) always comes first; one of these counts only where it can mean a single
parameter, judged by the parameter's own names and its unit.
"""

from __future__ import annotations

from collections.abc import Iterable

from grading.drill import Param
from grading.units import NONE

COUNT = "count"
"""A plain number or a counted thing: anything without a dimension."""

# Own names of the parameter, unit nouns or `COUNT` or unit symbols, what callers write.
_GROUPS: tuple[tuple[str, str, str], ...] = (
    ("phi act", "parameters", "phi p params parameters num_params n_params model model_size"),
    ("act", "parameters", "active active_params activated active_parameters activated_params phi_a phia"),
    ("total", "parameters", "total_params total_parameters"),
    ("pa", "parameters", "adapter adapters lora_params phi_a phia trainable"),
    ("n", "GPUs", "n dp dp_size dp_degree data_parallel gpus n_gpus num_gpus ngpus cards ranks world_size g"),
    ("g", "GPUs", "g gpus n_gpus num_gpus ngpus cards world_size n"),
    ("dp", COUNT, "dp_size dp_degree data_parallel n"),
    ("t", "GPUs", "tp tp_size tp_degree tensor_parallel n gpus"),
    ("t tp", COUNT, "t tp tp_size tp_degree tensor_parallel"),
    ("p pp", COUNT, "p pp pp_size pp_degree stages n_stages num_stages pipeline_stages pipeline_parallel ranks"),
    ("ep", COUNT, "ep_size ep_degree expert_parallel n gpus"),
    ("m k", "micro-batches", "m k ga mb num_micro_batches num_microbatches n_micro micro_batches microbatches accum"),
    ("m k", "micro-batches", "accumulation accumulation_steps grad_accum gradient_accumulation_steps micro_steps"),
    ("v", COUNT, "chunks vpp virtual virtual_stages interleave interleaving model_chunks"),
    ("b mb", COUNT, "b mb mbs bs batch batch_size micro_batch micro_batch_size microbatch_size microbatch"),
    ("batch n", "sequences", "global_batch global_batch_size gbs batch batch_size sequences"),
    ("tokens", "tokens", "batch global_batch global_batch_size gbs batch_tokens b_tok btok"),
    ("t d", "tokens", "t d tokens n_tokens num_tokens tokens_per_gpu training_tokens dataset"),
    ("d", "sequences", "dataset samples sequences"),
    ("s", COUNT, "s t seq seq_len seqlen sequence seq_length sequence_length context context_length length"),
    ("h", COUNT, "hidden hidden_size hidden_dim d_model dim width n_embd"),
    ("l", COUNT, "layers n_layers num_layers n_layer num_hidden_layers"),
    ("a", COUNT, "heads n_heads num_heads n_head q_heads query_heads attention_heads num_attention_heads"),
    ("kv", COUNT, "kv_heads n_kv n_kv_heads num_kv_heads num_key_value_heads"),
    ("ff f", COUNT, "ff ffn d_ff ffn_hidden_size intermediate intermediate_size moe_intermediate_size"),
    ("vocab", COUNT, "v vocab_size"),
    ("bw net hbm", "GB/s TB/s Gbit/s", "bw w b net nic link bandwidth link_bandwidth hbm hbm_bw memory_bandwidth pcie"),
    ("alg", "GB/s", "algbw alg_bw bandwidth bw"),
    ("bn", "GB/s", "intra nvlink intra_bw nvlink_bw"),
    ("bi", "GB/s", "inter ib inter_bw nic ib_bw"),
    ("s", "GB MB MiB", "size bytes tensor tensor_size message message_size payload bucket"),
    ("a", "GB", "activation activations per_micro_batch"),
    ("m", "GB", "mem memory vram gpu_mem gpu_memory card_memory capacity budget"),
    ("peak", "TFLOP/s", "f flops peak_flops tflops peak_tflops"),
    ("mfu eff e", "%", "mfu eff efficiency util utilization utilisation kernel_efficiency u"),
    ("share", "%", "usable fraction utilization utilisation"),
    ("x", "%", "bubble bubble_fraction target exposed exposed_communication comm"),
    ("rate", "tokens/s", "throughput tokens_per_s tokens_per_sec tokens_per_second tok_s tps"),
    ("price", "USD/GPU-hour", "cost usd price_per_hour usd_per_hour price_per_gpu_hour rate"),
    ("hours", "GPU-hours", "gpu_hours gpuhours gpuh"),
    ("c", "FLOP", "flops compute budget"),
    ("e", COUNT, "experts n_experts num_experts routed n_routed_experts routed_experts"),
    ("k", COUNT, "topk top_k experts_per_token num_experts_per_tok"),
    ("sh", COUNT, "shared n_shared shared_experts n_shared_experts"),
    ("n", "experts", "experts n_experts num_experts"),
    ("cf", COUNT, "capacity_factor capacity factor"),
    ("nodes m", COUNT, "nodes n_nodes num_nodes node_limit"),
    ("g", COUNT, "gpus_per_node"),
    ("x", COUNT, "value amax max"),
    ("r", COUNT, "rank lora_rank qk_rope_head_dim d_r"),
    ("c", COUNT, "latent d_c latent_dim amax"),
    ("delta", "s", "save_time write_time checkpoint_time d"),
    ("tau", "min", "interval"),
    ("f", COUNT, "failures interruptions"),
    ("alpha", "us", "latency hop_latency"),
)


def other_names(name: str, params: Iterable[Param]) -> set[str]:
    """Keys of the parameters that a caller may mean by a name that is none of the drill's own."""
    word = name.strip().casefold().replace("-", "_")
    return {
        param.key
        for own, kinds, words in _GROUPS
        if word in words.split()
        for param in params
        if param.key in own.split() and _is_of(param, kinds)
    }


def _is_of(param: Param, kinds: str) -> bool:
    if kinds == COUNT:
        return param.unit.dimension == NONE and param.unit.noun != "%"
    return param.unit.symbol in kinds.split()
