import { describe, expect, test } from 'vitest';
import { checkText } from '../testing/checked-file.ts';
import { candidate, open } from '../testing/opened-verifier.ts';

async function check(text: string) {
  const report = await checkText(text);
  expect([report.outcome, report.reason]).toEqual(['accepted', '']);
  return { ...report, meaning: [...report.theorems, ...(report.examples ?? [])].at(-1)!.meaning };
}

const NOTHING = { declared: [], hides: [], outside: [], notation: [] };

describe('a theorem is shown with', () => {
  test.each<[string, string, object]>([
    [
      'an instance of the file',
      'local instance (priority := 2000) two : OfNat Nat 2 := ⟨1⟩\ntheorem t : (1:Nat) = 2 := rfl',
      { declared: ['two'] },
    ],
    [
      'a definition that became one',
      'def two : OfNat Nat 2 := ⟨1⟩\nattribute [local instance 2000] two\ntheorem t : (1:Nat) = 2 := rfl',
      { declared: ['two'] },
    ],
    [
      'a default instance',
      'structure Sole where\n@[default_instance 2000] instance one : OfNat Sole n := ⟨⟨⟩⟩\ntheorem t : 1 = 2 := rfl',
      { declared: ['Sole', 'one'] },
    ],
    ['an included hypothesis', 'variable (h : False)\ninclude h\ntheorem t : 1 = 2 := h.elim', { outside: ['h'] }],
    [
      'one that another one of its name hides',
      'variable (h : False)\ninclude h\ntheorem t (h : True) : 1 = 2 := by contradiction',
      { outside: ['h'] },
    ],
    [
      'one whose name the proof has',
      'variable (h : False)\ninclude h\ntheorem t : 1 = 2 := by have : ∀ h : Nat, h = h := fun _ => rfl; exact h.elim',
      { outside: ['h'] },
    ],
    [
      'one whose name is bound deeper in its type',
      'variable (h : 1 = 2)\ninclude h\ntheorem t : (fun h : Nat => ∀ h : Nat, h = h) 0 → 1 = 2 := by intros; assumption',
      { outside: ['h'] },
    ],
    [
      'one whose name it binds, and binds deeper again',
      'variable (h : 1 = 2)\ninclude h\ntheorem t (h : 1 = 1) : (∀ h : Nat, h = h) → 1 = 2 := fun _ => by assumption',
      { outside: ['h'] },
    ],
    [
      'an instance that its type binds deeper',
      'class Wrong : Prop where\n  bad : 1 = 2\nvariable [Wrong]\ntheorem t : True → (∀ [Inhabited Nat], 1 = 2) := fun _ [_] => Wrong.bad',
      { declared: ['Wrong'], outside: ['[…]'] },
    ],
    [
      'one before a quantifier of its name',
      'variable (h : 1 = 2)\ninclude h\ntheorem t : ∀ h : Nat, 1 = 2 := fun _ => by assumption',
      { outside: ['h'] },
    ],
    [
      'one that an arrow below another connective could stand for',
      'variable (h : 1 = 2)\ninclude h\ntheorem t : True ↔ ((h : Nat) → h = h) → 1 = 1 := by simp',
      { outside: null },
    ],
    [
      'an instance without a name',
      'variable [Inhabited Empty]\ntheorem t : 1 = 2 := (default : Empty).elim',
      { outside: ['[…]'] },
    ],
    ['a variable of an empty type', 'variable (n : Fin 0)\ntheorem t : n = n ∧ False := n.elim0', { outside: ['n'] }],
    ['a name that Lean bound by itself', 'theorem t (h : Flase) : 1 = 1 := rfl', { outside: ['Flase'] }],
    [
      'a name that reads like another',
      'namespace N\ndef False := True\ntheorem t : False := trivial',
      { declared: ['N.False'], hides: [{ name: 'N.False', hidden: 'False' }] },
    ],
    [
      'one behind a definition',
      'namespace N\ndef False := True\nend N\ndef Wrong := N.False\ntheorem t : Wrong := trivial',
      { declared: ['Wrong'], hides: [{ name: 'N.False', hidden: 'False' }] },
    ],
    [
      'one in a match',
      'def wrong := True\ntheorem t : (match (1 : Nat) with | 0 => wrong | _ => wrong) := trivial',
      { declared: ['wrong'] },
    ],
    [
      'a field',
      'structure N where\n  False : Prop\nopen N\ntheorem t (n : N) (h : n.False) : n.False := h',
      { declared: ['N', 'N.False'], hides: [{ name: 'N.False', hidden: 'False' }] },
    ],
    [
      'a renamed name',
      'open Bool renaming true → Falsity\ntheorem t : Falsity = true := rfl',
      { notation: ['Falsity'] },
    ],
    [
      'an instance of an example',
      'local instance two : OfNat Nat 2 := ⟨1⟩\nexample : (1:Nat) = 2 := rfl',
      { declared: ['two'] },
    ],
    ['a variable of an example', 'variable (h : False)\nexample : 1 = 2 := h.elim', { outside: ['h'] }],
  ])('%s', async (_, text, meaning) => {
    expect((await check(`${text}\n`)).meaning).toEqual({ ...NOTHING, ...meaning });
  });
});

test('a theorem that shows all that it says is shown without more', async () => {
  const { theorems, notes } = await check(`def unused := 1
variable (unused : Nat) {α : Type} (p : Prop)
theorem a (a b : Nat) (h : a = b) : b = a := h.symm
theorem b.{v} {β : Type v} [Inhabited β] (xs ys : List β) (_ : xs = ys) : ∀ zs, xs ++ zs = ys ++ zs := by simp_all
theorem c : ∀ x y : Nat, x = y → y = x := fun _ _ h => h.symm
theorem d : (x : Nat) → (h : x = 1) → 1 = x := fun _ h => h.symm
theorem e (x : Nat) : let y := x; y = x := rfl
private theorem f (f : Nat → Nat) x (h : ∀ y, f y = y) : f x = x := h x
theorem g (h : True) : ∀ h : True, h = h := fun _ => rfl
theorem h : ∀ [Inhabited Nat] (n : Nat), n = n := fun _ => rfl
theorem i : ∀ n : Nat, n = n
  | 0 => rfl
  | _ + 1 => rfl
theorem j (xs : List α) : xs = xs := rfl
theorem k : p → p := id
theorem l : (match (1 : Nat) with | 0 => False | _ => True) := trivial
theorem m : (∀ x : Nat, x = x → (y : Nat) → y = 1 → x = x) := fun _ _ _ _ => rfl
theorem n : ∀ x ∈ [1], ∀ y > 0, x = x ∧ y = y := by simp
theorem o : ∀ {x : Nat} (y : Nat), x = y ↔ y = x := by intros; exact eq_comm
theorem q : 1 = 2 -> (∃ x : Nat, x = 1) -> ¬True := by simp
example (n : Nat) : n = n := rfl
`);
  expect(theorems.filter(({ meaning }) => meaning !== undefined)).toEqual([]);
  expect(notes).toBeUndefined();
});

test('what no statement can show is said of the file', async () => {
  const { notes } = await check(`structure S where
instance toNat : Coe S Nat := ⟨fun _ => 0⟩
attribute [local instance] Classical.propDecidable
namespace N
abbrev Nat.add := 1
end N
theorem t (s : S) : (s : Nat) = 0 := rfl
`);
  expect(notes).toEqual([
    'line 2: a coercion, toNat',
    'N.Nat.add reads like the imported Nat.add',
    'line 3: the attribute instance for something declared elsewhere',
  ]);
});

test('a statement of a row is refused where its header has it read like another', async () => {
  const verifier = await open();
  const rows = [
    ['abbrev False := True', 'theorem t : False', '  exact True.intro'],
    ['def False : Prop := True', 'theorem t : False', '  exact True.intro'],
    ['namespace N\nabbrev False := True', 'theorem t : False', '  exact True.intro'],
    ['abbrev Nat := Unit\nabbrev same (a b : Nat) : Prop := a = b', 'theorem t (a b) : same a b', '  rfl'],
    ['def Nat.add (a b : Nat) : Nat := 5', 'theorem t : Nat.add 1 1 = 5', '  rfl'],
    ['def answer : Nat := 3', 'theorem t : answer = 3', '  rfl'],
  ].map(([header, statement, proof], index) => ({ ...candidate(`${index}`, proof!, statement), header: header! }));
  const results = await verifier.check(rows);
  expect(results.map(({ kind }) => kind)).toEqual([...Array(5).fill('header_error'), 'proved']);
  const messages = results.map((result) => result.messages[0]?.text);
  expect(messages[0]).toContain('`False` has already been declared');
  expect(messages[2]).toBe('the header declares N.False, which reads like the imported False');
});
