#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pages.py: what counts as a command and what does not."""
import unittest

import pages

PAGE = """# A page

    heddle machines          # a remark
    heddle run --set 'a=b' \\
      ./app

Output:

    heddle: 4 launches

```
--set sm.order=gto
```

<!-- not run: opens a window -->
```sh
xdg-open a.html
```

<!-- exits 100 -->

    VARIABLE=1 heddle config --set x=1

<!-- file: a.json -->
```json
{"extends": "small"}
```

```cpp
make("x");
```

1. A list
2. with a block

        ./app
"""


class Pages(unittest.TestCase):
    def setUp(self):
        self.blocks = pages.blocks(PAGE)

    def test_blocks_of_commands_and_files_in_order(self):
        self.assertEqual([block.text.split("\n")[0].split()[0] for block in self.blocks],
                         ["heddle", "xdg-open", "VARIABLE=1", '{"extends":', "./app"])

    def test_marks(self):
        self.assertEqual([block.not_run for block in self.blocks], ["", "opens a window", "", "", ""])
        self.assertEqual([block.status for block in self.blocks], [0, 0, 100, 0, 0])
        self.assertEqual([block.file for block in self.blocks], ["", "", "", "a.json", ""])

    def test_commands_with_their_lines(self):
        found = list(pages.commands(self.blocks[0]))
        self.assertEqual([line for line, _ in found], [3, 4])
        self.assertEqual(found[0][1], "heddle machines")
        self.assertTrue(found[1][1].endswith("./app"))

    def test_forms_of_commands(self):
        self.assertTrue(pages.synopsis("heddle run [--machine M] ./app"))
        self.assertTrue(pages.synopsis("heddle run ... ./app"))
        self.assertFalse(pages.synopsis("jq '.kernels[] | [.name]' run.json"))


if __name__ == "__main__":
    unittest.main()
