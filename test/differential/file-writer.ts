/** Writes one random file for `random-file.ts`: scopes with declarations in them, and the known facts about each. */
import type { Random } from '@stp/selfplay';
import { NAMESPACES, NOISE, ODD_NAMES, TRUE_STATEMENTS, VISIBILITIES } from './file-pieces.ts';
import type { FileFact } from './random-file.ts';

interface Known {
  /** Full name, which can be written anywhere. */
  readonly path: string;
  readonly isSound: boolean;
}

interface Unsound {
  readonly path: string;
  readonly type: 'False' | '(1 : Nat) = 2';
}

export class FileWriter {
  readonly #random: Random;
  readonly #lines: string[] = [];
  readonly #facts: FileFact[] = [];
  readonly #taken = new Set<string>();
  /** Constants whose type is `False` or `(1 : Nat) = 2`, none of them sound. */
  readonly #false: Unsound[] = [];
  readonly #true: Known[] = [];
  #count = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  write(): { text: string; facts: readonly FileFact[] } {
    for (let left = 4 + this.#random.below(10); left > 0; left -= 1) this.#item([], [], 0);
    return { text: `${this.#lines.join('\n')}\n`, facts: this.#facts };
  }

  /** Writes one item into a namespace, given as it is `written` and as it is `printed`. */
  #item(written: readonly string[], printed: readonly string[], depth: number): void {
    const kind = this.#random.below(20);
    if (kind < 3 && depth < 4) this.#scope(written, printed, depth);
    else if (kind < 4) this.#put(this.#pick(NOISE));
    else if (kind < 5) this.#axiom(written, printed);
    else if (kind < 7) this.#function(written, printed);
    else if (kind < 8) this.#class(written, printed);
    else if (kind < 9) this.#mutual(written, printed);
    else if (kind < 10) this.#withWhere(written, printed);
    else if (kind < 11) this.#opaqueFalse(written, printed);
    else if (kind < 14) this.#bad(written, printed);
    else this.#good(written, printed);
  }

  #scope(written: readonly string[], printed: readonly string[], depth: number): void {
    const kind = this.#random.below(4);
    const inside = (own: readonly string[], shown: readonly string[]): void => {
      for (let left = 1 + this.#random.below(5); left > 0; left -= 1)
        this.#item([...written, ...own], [...printed, ...shown], depth + 1);
    };
    if (kind < 2) {
      const name = this.#pick(NAMESPACES);
      this.#put(`namespace ${name}`);
      inside([name], [name.replace('«end»', 'end')]);
      const parts = name.split('.');
      // A namespace that was opened at once may be closed part by part.
      if (this.#random.below(2) === 0 || name.includes('«')) this.#put(`end ${name}`);
      else for (const part of parts.reverse()) this.#put(`end ${part}`);
    } else {
      const name = this.#pick(['', '', ' S', ' A', ' «end»']);
      this.#put(`${this.#pick(['', '', 'noncomputable '])}section${name}`);
      inside([], []);
      this.#put(`end${name}`);
    }
  }

  /** Returns an unused name: as it is written here, from the root, and as a report prints it. */
  #name(written: readonly string[], printed: readonly string[]) {
    const odd = this.#random.below(3) === 0 ? this.#pick(ODD_NAMES) : null;
    const rooted = this.#random.below(12) === 0;
    const fullName = (parts: readonly string[], last: string): string => [...(rooted ? [] : parts), last].join('.');
    this.#count += 1;
    let [own, shown] = odd ?? [`t${this.#count}`, `t${this.#count}`];
    const top = rooted || written.length === 0;
    // At the root these are constants of Lean.
    if (this.#taken.has(fullName(printed, shown)) || (odd !== null && (top || printed.at(-1) === 'Nat')))
      [own, shown] = [`t${this.#count}`, `t${this.#count}`];
    this.#taken.add(fullName(printed, shown));
    return {
      here: rooted ? `_root_.${own}` : own,
      path: `_root_.${fullName(written, own)}`,
      printed: fullName(printed, shown),
      where: rooted ? ('rooted' as const) : top ? ('top' as const) : ('inside' as const),
    };
  }

  #axiom(written: readonly string[], printed: readonly string[]): void {
    const name = this.#name(written, printed);
    const type = this.#pick(['False', '(1 : Nat) = 2'] as const);
    this.#put(`${this.#pick(VISIBILITIES[name.where])}axiom ${name.here} : ${type}`);
    this.#false.push({ path: name.path, type });
    this.#facts.push({ name: name.printed, isSound: false, isListed: true });
  }

  #good(written: readonly string[], printed: readonly string[]): void {
    const name = this.#name(written, printed);
    const [type, proofs] = this.#pick(TRUE_STATEMENTS);
    const used = this.#random.below(4) === 0 ? this.#true.at(this.#random.below(this.#true.length)) : undefined;
    if (used === undefined) this.#put(`${this.#before(name.where)}theorem ${name.here}${type} ${this.#pick(proofs)}`);
    else this.#put(`${this.#before(name.where)}theorem ${name.here} : (2 : Nat) = 2 := (fun _ => rfl) @${used.path}`);
    this.#true.push({ path: name.path, isSound: used?.isSound ?? true });
    this.#facts.push({ name: name.printed, isSound: used?.isSound ?? true, isListed: true });
  }

  #bad(written: readonly string[], printed: readonly string[]): void {
    const name = this.#name(written, printed);
    const cause = this.#random.below(3) === 0 ? undefined : this.#false[this.#random.below(this.#false.length || 1)];
    const [type, proof] = this.#badProof(cause);
    this.#put(`${this.#before(name.where)}theorem ${name.here} : ${type} ${proof}`);
    if (type === '(1 : Nat) = 2' || type === 'False') this.#false.push({ path: name.path, type });
    else this.#true.push({ path: name.path, isSound: false });
    this.#facts.push({ name: name.printed, isSound: false, isListed: true });
  }

  #badProof(cause: Unsound | undefined): [string, string] {
    const type = this.#pick(['(1 : Nat) = 2', '(1 : Nat) = 2', 'False', '(1 : Nat) = 1']);
    if (cause === undefined)
      return [
        type,
        this.#pick([
          ':= sorry',
          ':= by sorry',
          ':= by\n  skip\n  admit',
          ':= by\n  have h : False := sorry\n  exact h.elim',
          ':= (fun (h : False) => h.elim) sorry',
          ':= by\n  exact sorryAx _ true'.replace('sorryAx', '_root_.sorryAx'),
          ':= by\n  have h : (1 : Nat) = 2 := by /- trivial -/ sorry\n  exact absurd h (by decide)',
        ]),
      ];
    const isFalse = cause.type === 'False' ? `${cause.path}` : `(absurd ${cause.path} (by decide) : False)`;
    return [
      type,
      this.#pick([
        `:= False.elim ${isFalse}`,
        `:= by\n  exact False.elim ${isFalse}`,
        `:= by\n  have h := ${cause.path}\n  first | exact h.elim | omega | contradiction`,
        `:= by\n  cases (${isFalse} : False)`,
        `:= (${isFalse}).elim`,
      ]),
    ];
  }

  /** Returns modifiers and lines that may precede a theorem. */
  #before(where: keyof typeof VISIBILITIES): string {
    const doc = this.#pick([
      '',
      '',
      '',
      '/-- theorem hidden : False := sorry -/\n',
      '/-- «doc» /- nested -/ -/\n',
      '/- sorry -/\n',
    ]);
    const open = this.#pick(['', '', '', 'open Nat in\n', 'open Classical in\n', 'set_option maxRecDepth 2000 in\n']);
    const visibility = this.#pick(VISIBILITIES[where]);
    return `${open}${doc}${visibility}`;
  }

  /** Writes a function by structural recursion with a theorem about it, or a function that rests on `sorry`. */
  #function(written: readonly string[], printed: readonly string[]): void {
    this.#count += 1;
    const name = `f${this.#count}`;
    const fact = this.#name(written, printed);
    const isSound = this.#random.below(3) > 0;
    if (isSound) {
      const wellFounded = this.#random.below(3) === 0;
      if (wellFounded)
        this.#put(
          `def ${name} (n : Nat) : Nat := if n = 0 then 0 else ${name} (n / 2)\ntermination_by n\ndecreasing_by omega`,
          `theorem ${fact.here} : ${name} 0 = 0 := by\n  unfold ${name}\n  rfl`,
        );
      else
        this.#put(
          `def ${name} : Nat → Nat\n  | 0 => 0\n  | n + 1 => ${name} n`,
          `theorem ${fact.here} (n : Nat) : ${name} n = 0 := by\n  induction n with\n  | zero => rfl\n  | succ n ih => simpa [${name}] using ih`,
        );
    } else
      this.#put(
        `def ${name} : (n : Nat) → { m : Nat // m = n + n + 1 ∧ m = 0 } := fun _ => ${this.#pick(['sorry', '⟨0, by sorry⟩'])}`,
        `theorem ${fact.here} : (1 : Nat) = 2 := by\n  have h := (${name} 0).2\n  omega`,
      );
    this.#facts.push({ name: fact.printed, isSound, isListed: true });
  }

  /** Writes a class of propositions, an instance of it, and a theorem that finds the instance. */
  #class(written: readonly string[], printed: readonly string[]): void {
    this.#count += 1;
    const name = `P${this.#count}`;
    const isSound = this.#random.below(2) === 0;
    const here = [...printed, name].join('.');
    const type = isSound ? '(1 : Nat) = 1' : '(1 : Nat) = 2';
    const fact = this.#name(written, printed);
    const instance = this.#pick(['', ` i${this.#count}`]);
    this.#put(
      `class ${name} : Prop where\n  holds : ${type}`,
      isSound
        ? `instance${instance} : ${name} := ⟨rfl⟩`
        : this.#pick([`instance${instance} : ${name} := ⟨sorry⟩`, `instance${instance} : ${name} := sorry`]),
      `theorem ${fact.here} : ${type} := ${name}.holds`,
    );
    const instanceName = instance === '' ? `inst${name}` : instance.trim();
    this.#facts.push(
      { name: `${here}.holds`, isSound: true, isListed: false },
      { name: [...printed, instanceName].join('.'), isSound, isListed: false },
      { name: fact.printed, isSound, isListed: true },
    );
  }

  /** Writes a block of theorems that rest on each other. */
  #mutual(written: readonly string[], printed: readonly string[]): void {
    const [one, other] = [this.#name(written, printed), this.#name(written, printed)];
    const isSound = this.#random.below(2) === 0;
    const [first, second] = isSound
      ? [`theorem ${one.here} : (1 : Nat) = 1 := rfl`, `theorem ${other.here} : (2 : Nat) = 2 := by /- end -/ rfl`]
      : [
          `theorem ${one.here} : (1 : Nat) = 2 := sorry`,
          `theorem ${other.here} : (1 : Nat) = 2 := ${one.where === 'rooted' ? one.path : one.here}`,
        ];
    this.#put('mutual', first, second, 'end');
    for (const { printed: name } of [one, other]) this.#facts.push({ name, isSound, isListed: true });
  }

  #withWhere(written: readonly string[], printed: readonly string[]): void {
    const fact = this.#name(written, printed);
    const isSound = this.#random.below(2) === 0;
    this.#put(
      isSound
        ? `theorem ${fact.here} : (1 : Nat) = 1 := h where\n  h : (1 : Nat) = 1 := rfl`
        : `theorem ${fact.here} : (1 : Nat) = 2 := h where\n  /-- sound -/ h : (1 : Nat) = 2 := ${this.#pick(['sorry', 'by sorry'])}`,
    );
    this.#facts.push(
      { name: fact.printed, isSound, isListed: true },
      { name: `${fact.printed}.h`, isSound, isListed: false },
    );
  }

  /** Writes an opaque constant without a proof, and a theorem that rests on it. */
  #opaqueFalse(written: readonly string[], printed: readonly string[]): void {
    this.#count += 1;
    const name = `o${this.#count}`;
    const fact = this.#name(written, printed);
    this.#put(
      this.#pick([
        `opaque ${name} : (1 : Nat) = 2 := sorry`,
        `def ${name} : PLift False := sorry\ninstance : Inhabited (PLift False) := ⟨${name}⟩`,
        `structure ${name} where\n  out : (1 : Nat) = 1 := by sorry`,
      ]),
    );
    const last = this.#lines.at(-1)!;
    const isSound = last.startsWith('structure');
    const proof = last.startsWith('opaque') ? `:= ${name}` : isSound ? ':= rfl' : `:= ${name}.down.elim`;
    this.#put(`theorem ${fact.here} : ${isSound ? '(1 : Nat) = 1' : '(1 : Nat) = 2'} ${proof}`);
    this.#facts.push({ name: fact.printed, isSound, isListed: true });
    for (const part of [name, `${name}.out`])
      this.#facts.push({ name: [...printed, part].join('.'), isSound: part.endsWith('.out'), isListed: false });
  }

  #put(...lines: string[]): void {
    this.#lines.push(...lines);
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#random.below(items.length)]!;
  }
}
