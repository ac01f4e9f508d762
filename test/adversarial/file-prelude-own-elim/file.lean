prelude
import Init.Prelude
def And.elim {a b : Prop} (_ : And a b) : Prop := True
theorem bad (h : And True True) : And.elim h := True.intro
