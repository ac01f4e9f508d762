prelude
import Init.Prelude
init_quot
theorem bad : True := True.intro
