prelude
import Init.Prelude
import file
theorem bad : True := True.intro
