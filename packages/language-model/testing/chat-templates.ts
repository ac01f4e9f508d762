/** Chat templates in the style of published models, and chats to render with them. */
import type { ChatMessage } from '@stp/config/records';
import type { TemplateData } from '../chat/template-messages.ts';

const QWEN_NAMES = { eos_token: '<|im_end|>' };
const LLAMA_NAMES = { bos_token: '<|begin_of_text|>', eos_token: '<|eot_id|>' };
const MISTRAL_NAMES = { bos_token: '<s>', eos_token: '</s>' };
const DEEPSEEK_NAMES = { bos_token: '<｜begin▁of▁sentence｜>', eos_token: '<｜end▁of▁sentence｜>' };

export const TEMPLATES: readonly (TemplateData & { readonly name: string })[] = [
  {
    name: 'ChatML',
    names: QWEN_NAMES,
    source: `{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`,
  },
  {
    name: 'Qwen2.5, with a system text of its own and tools',
    names: QWEN_NAMES,
    source: `
{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- for tool in tools %}{{- tool | tojson }}{%- endfor %}
    {{- '<|im_end|>\\n' }}
{%- else %}
    {%- if messages[0]['role'] != 'system' %}
        {{- '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' }}
    {%- endif %}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system") or (message.role == "assistant" and not message.tool_calls) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "tool" %}
        {{- message.content }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
`,
  },
  {
    name: 'Qwen3, with thinking',
    names: QWEN_NAMES,
    source: `
{%- set ns = namespace(multi_step=true, last=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.multi_step and message.role == "user" and message.content is string and not(message.content.startswith('<tool>') and message.content.endswith('</tool>')) %}
        {%- set ns.multi_step = false %}
        {%- set ns.last = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.content is string %}
        {%- set content = message.content %}
    {%- else %}
        {%- set content = '' %}
    {%- endif %}
    {%- if message.role == "user" or (message.role == "system" and not loop.first) or loop.first %}
        {{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {%- set thought = '' %}
        {%- if message.reasoning_content is string %}
            {%- set thought = message.reasoning_content %}
        {%- elif '</think>' in content %}
            {%- set thought = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
            {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
        {%- endif %}
        {%- if loop.index0 > ns.last and (loop.last or thought) %}
            {{- '<|im_start|>' + message.role + '\\n<think>\\n' + thought.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
        {%- else %}
            {{- '<|im_start|>' + message.role + '\\n' + content }}
        {%- endif %}
        {{- '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}
`,
  },
  {
    name: 'Llama 3',
    names: LLAMA_NAMES,
    source: `{% set loop_messages = messages %}{% for message in loop_messages %}{% set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n'+ message['content'] | trim + '<|eot_id|>' %}{% if loop.index0 == 0 %}{% set content = bos_token + content %}{% endif %}{{ content }}{% endfor %}{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}`,
  },
  {
    name: 'Llama 3.1, with tools and a date',
    names: LLAMA_NAMES,
    source: `{{- bos_token }}
{%- if custom_tools is defined %}
    {%- set tools = custom_tools %}
{%- endif %}
{%- if not tools_in_user_message is defined %}
    {%- set tools_in_user_message = true %}
{%- endif %}
{%- if not date_string is defined %}
    {%- set date_string = "26 Jul 2024" %}
{%- endif %}
{%- if not tools is defined %}
    {%- set tools = none %}
{%- endif %}

{#- The system text stands alone. #}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{%- if builtin_tools is defined or tools is not none %}
    {{- "Environment: ipython\\n" }}
{%- endif %}
{{- "Today Date: " + date_string + "\\n\\n" }}
{{- system_message }}
{{- "<|eot_id|>" }}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}
        {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ message['content'] | trim + '<|eot_id|>' }}
    {%- elif 'tool_calls' in message %}
        {{- raise_exception("no tools here") }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
`,
  },
  {
    name: 'DeepSeek, whose system text comes first',
    names: DEEPSEEK_NAMES,
    source: `{% if not add_generation_prompt is defined %}{% set add_generation_prompt = false %}{% endif %}{% set ns = namespace(is_first=false, is_tool=false, system_prompt='', is_first_sp=true) %}{%- for message in messages %}{%- if message['role'] == 'system' %}{%- if ns.is_first_sp %}{% set ns.system_prompt = ns.system_prompt + message['content'] %}{% set ns.is_first_sp = false %}{%- else %}{% set ns.system_prompt = ns.system_prompt + '\n\n' + message['content'] %}{%- endif %}{%- endif %}{%- endfor %}{{ bos_token }}{{ ns.system_prompt }}{%- for message in messages %}{%- if message['role'] == 'user' %}{%- set ns.is_tool = false -%}{{'<｜User｜>' + message['content']}}{%- endif %}{%- if message['role'] == 'assistant' and message['content'] is not none %}{% set content = message['content'] %}{% if '</think>' in content %}{% set content = content.split('</think>')[-1] %}{% endif %}{{'<｜Assistant｜>' + content + '<｜end▁of▁sentence｜>'}}{%- endif %}{%- endfor -%}{% if add_generation_prompt and not ns.is_tool %}{{'<｜Assistant｜>'}}{% endif %}`,
  },
  {
    name: 'DeepSeek-Coder, in lines with instructions',
    names: DEEPSEEK_NAMES,
    source: `{%- set found = namespace(value=false) -%}
{%- for message in messages -%}
{%- if message['role'] == 'system' -%}
{%- set found.value = true -%}
{%- endif -%}
{%- endfor -%}
{{bos_token}}{%- if not found.value -%}
{{'You are an AI programming assistant.\n'}}
{%- endif -%}
{% for message in messages %}
{%- if message['role'] == 'system' %}
{{ message['content'] }}
{%- elif message['role'] == 'user' %}
{{'### Instruction:\n' + message['content'] + '\n'}}
{%- else %}
{{'### Response:\n' + message['content'] + '\n<|EOT|>\n'}}
{%- endif %}
{% endfor %}
{{'### Response:\n'}}`,
  },
  {
    name: 'Mistral, where roles must alternate',
    names: MISTRAL_NAMES,
    source: `{%- if messages[0]["role"] == "system" %}
    {%- set system_message = messages[0]["content"] %}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set loop_messages = messages %}
{%- endif %}
{{- bos_token }}
{%- for message in loop_messages %}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('roles must alternate user/assistant/user/assistant/...') }}
    {%- endif %}
    {%- if message["role"] == "user" %}
        {%- if loop.first and system_message is defined %}
            {{- " [INST] " + system_message + "\\n\\n" + message["content"] + " [/INST]" }}
        {%- else %}
            {{- " [INST] " + message["content"] + " [/INST]" }}
        {%- endif %}
    {%- elif message["role"] == "assistant" %}
        {{- " " + message["content"] + eos_token}}
    {%- endif %}
{%- endfor %}
`,
  },
  {
    name: 'Mistral v3, with selected messages and tools',
    names: MISTRAL_NAMES,
    source: `{%- set user_messages = messages | selectattr("role", "equalto", "user") | list %}
{{- bos_token }}
{%- for message in messages | rejectattr("role", "equalto", "system") %}
    {%- if message["role"] == "user" %}
        {%- if tools is not none and (message == user_messages[-1]) %}
            {{- "[AVAILABLE_TOOLS] [" }}
            {%- for tool in tools %}{{- tool | tojson }}{%- if not loop.last %}{{- ", " }}{%- endif %}{%- endfor %}
            {{- "][/AVAILABLE_TOOLS]" }}
        {%- endif %}
        {{- "[INST] " + message["content"] + "[/INST]" }}
    {%- else %}
        {{- " " + message["content"]|trim + eos_token }}
    {%- endif %}
{%- endfor %}
`,
  },
  {
    name: 'one with a macro, conditions in a line and lists of parts',
    names: QWEN_NAMES,
    source: `{%- macro part(content) -%}
    {%- if content is string -%}
        {{- content -}}
    {%- else -%}
        {%- for item in content -%}{{- item.text -}}{%- endfor -%}
    {%- endif -%}
{%- endmacro -%}
{%- for message in messages if message.role != 'system' %}
{{ loop.index }}/{{ loop.length }} {{ 'You' if message.role == 'user' else 'I' }} say {{ part(message.content) | upper }}, {{ message.content | length }} characters{{ ',' ~ loop.previtem.role if loop.previtem is defined else '' }};
{% endfor -%}
{{ messages | map(attribute='role') | join('+') }} {{ messages[-1].role | title }} {{ messages[0].content[:7] | replace(' ', '_') }} {{ messages[0].get('name', 'nobody') }}`,
  },
];

export const CHATS: readonly (readonly ChatMessage[])[] = [
  [{ role: 'user', content: 'Prove {{ it }}: ∀ n, n + 0 = n.' }],
  [
    { role: 'system', content: '  You prove theorems in Lean 4.\n' },
    { role: 'user', content: '\n```lean4\ntheorem t : 1 < 2 := by\n  sorry```\n\nPlan first.  ' },
  ],
  [
    { role: 'user', content: 'Prove it.' },
    { role: 'assistant', content: '<think>\nBy omega, "perhaps".\n</think>\n\n```lean4\nby omega\n```' },
    { role: 'user', content: 'Lean says:\n\n  <error>x < y</error> & more' },
  ],
];
