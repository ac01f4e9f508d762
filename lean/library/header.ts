/** What stands above a statement that has no header of its own: the whole library, its names without their namespace. */
export const LIBRARY_HEADER = 'import Stp\n\nopen Stp\n';
