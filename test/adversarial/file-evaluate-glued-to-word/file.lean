theorem t : 1 + 1 = 2 := rfl
def act : IO Unit := IO.println "ran"
#evalact
