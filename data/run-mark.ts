/** Environment variable that every child process of a run carries (value: the run's id), so that a clean-up finds the
 *  process whatever became of its parent. */
export const RUN_MARK = 'STP_RUN_MARK';
