prelude
import Init.Nowhere
theorem bad : False := oops
