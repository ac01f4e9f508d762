prelude
axiom propext : False
