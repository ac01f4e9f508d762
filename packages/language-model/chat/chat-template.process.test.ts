/** Chat templates: what they write, and that a hostile one ends. Costs about three seconds. */
import { afterEach, describe, expect, it } from 'vitest';
import { ChatTemplate } from './chat-template.ts';

const CHATML =
  "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";
const ASKED = [{ role: 'user', content: 'Prove {{ it }}.' }] as const;

const open: ChatTemplate[] = [];
function template(source: string, limitMs?: number): ChatTemplate {
  const made = new ChatTemplate({ source, names: { bos_token: '<s>', eos_token: '</s>' } }, limitMs);
  open.push(made);
  return made;
}
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

describe('a chat template', () => {
  it('writes the chat, and what a message says is no template', async () => {
    const chatml = template(CHATML);
    const text = '<|im_start|>user\nProve {{ it }}.<|im_end|>\n<|im_start|>assistant\n';
    expect(await Promise.all([chatml.render(ASKED), chatml.render(ASKED)])).toEqual([text, text]);
    expect(await template('{{ bos_token }}{{ messages|length }}{{ eos_token }}').render(ASKED)).toBe('<s>1</s>');
  });

  it.each([
    ['refuses the messages', "{{ raise_exception('roles must alternate') }}", /roles must alternate/],
    ['is no template', '{% for', /gives no text/],
    [
      'has a filter that is not computed here',
      "{{ messages | groupby('role') }}",
      /Unknown ArrayValue filter: groupby/,
    ],
    ['fails', '{{ messages[7].content.strip() }}', /gives no text/],
  ])('that %s is an error in a line', async (_, source, problem) => {
    const error = (await template(source)
      .render(ASKED)
      .catch((reason: unknown) => reason)) as Error;
    expect(error).toMatchObject({ code: 'STP1002', message: expect.stringMatching(problem) });
    expect(error.message).not.toContain('\n');
  });

  it('that does not end is ended, and the next chat is written', async () => {
    const slow = "{% if messages[0].content == 'loop' %}{% for i in range(10000000000) %}{% endfor %}{% endif %}done";
    const looping = template(slow, 1_500);
    await expect(looping.render([{ role: 'user', content: 'loop' }])).rejects.toMatchObject({ code: 'STP1002' });
    expect(await looping.render(ASKED)).toBe('done');
  });

  it('reaches nothing of the process', async () => {
    const inside = template('{{ process is defined }} {{ require is defined }} {{ globalThis is defined }}');
    expect(await inside.render(ASKED)).toBe('false false false');
  });
});
