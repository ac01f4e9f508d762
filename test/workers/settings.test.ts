/** What the environment may not say. Under a second. */
import { expect, test } from 'vitest';
import { workerSettings } from '../../workers/settings.ts';

test.each(['STP_LAKE', 'STP_LEAN4EXPORT', 'STP_NANODA'])('%s, of a checker that is gone, is refused', (variable) => {
  expect(() => workerSettings({ [variable]: '/opt/tool' })).toThrow(
    expect.objectContaining({ code: 'STP1001', message: expect.stringContaining(variable) }),
  );
  expect(workerSettings({ [variable]: '' }).leanServers).toBeNull();
});
