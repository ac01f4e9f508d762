instance bad : Inhabited (PLift False) := ⟨sorry⟩
theorem b : False := (default : PLift False).down
