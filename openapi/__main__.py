"""`make openapi`: write the generated files again."""

from service.contract import main

main()
