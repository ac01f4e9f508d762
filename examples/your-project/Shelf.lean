import Shelf.Lists
import Shelf.Trees
