# SPDX-License-Identifier: Apache-2.0
"""`partita plan --svg` and `--dot`: files that other programs can read, and nothing where there is no split."""

import os
import xml.etree.ElementTree as ElementTree

from harness import CliTest, chain, edge, main, node, workload

SVG = "{http://www.w3.org/2000/svg}"


class Pictures(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("chain.json", chain())

    def test_both(self):
        out, err = self.run_program("plan", self.file, "-q", "--svg", self.path("a.svg"), "--dot", self.path("a.dot"))
        self.assertEqual((out, err), ("", ""))
        root = ElementTree.fromstring(self.read("a.svg"))
        self.assertEqual(root.tag, SVG + "svg")
        texts = [text.text for text in root.iter(SVG + "text")]
        self.assertEqual(texts.count("accelerator 0"), 2)
        self.assertIn("time per sample 2.1, optimal among staged splits; max-load", texts)
        self.assertTrue(self.read("a.dot").startswith('digraph "chain" {\n'))

    def test_the_same_picture_every_time(self):
        for name in ("a.svg", "b.svg"):
            self.run_program("plan", self.file, "-q", "--svg", self.path(name))
        self.assertEqual(self.read("a.svg"), self.read("b.svg"))

    def test_every_objective_and_shape(self):
        nodes = [node(i, 1 + i % 3, isBackwardNode=i >= 6) for i in range(12)]
        edges = [edge(i, i + step, 0.5) for step in (1, 4) for i in range(12 - step)]
        file = self.write("training.json", workload(nodes, edges, accelerators=3, hosts=1))
        for question in (["--shape", "staged"], ["--shape", "contiguous"], ["--shape", "free"],
                         ["--objective", "gpipe"], ["--objective", "latency"], ["--transfers", "duplex"],
                         ["--replicate", "2", "--sync-bandwidth", "inf"]):
            self.run_program("plan", file, "-q", "--time-limit", "5", *question, "--svg", self.path("a.svg"), "--dot",
                             self.path("a.dot"))
            root = ElementTree.fromstring(self.read("a.svg"))
            self.assertEqual(len(list(root.iter(SVG + "rect"))) > 12, True)

    def test_hostile_names(self):
        names = ["<script>", "a & b", '"quoted"', "back\\slash", "\u0001\ufffe", "]]>", "'; --", "日本語"]
        nodes = [node(i, name=name) for i, name in enumerate(names)]
        edges = [edge(i, i + 1, 1) for i in range(len(names) - 1)]
        file = self.write("hostile.json", workload(nodes, edges, name="<&\">"))
        self.run_program("plan", file, "-q", "--svg", self.path("a.svg"), "--dot", self.path("a.dot"))
        root = ElementTree.fromstring(self.read("a.svg"))
        texts = [text.text for text in root.iter(SVG + "text")]
        for name in ("<script>", "a & b", '"quoted"', "back\\slash", "]]>", "'; --", "日本語"):
            self.assertIn(name, texts)

    def test_standard_output(self):
        out, err = self.run_program("plan", self.file, "--svg", "-")
        self.assertEqual(ElementTree.fromstring(out).tag, SVG + "svg")
        self.assertIn("optimal among staged splits: 2.1 per sample", err)
        self.assert_refused(2, "plan", self.file, "--svg", "-", "-o", "-", mentions=["standard output"])

    def test_paths_are_tried_before_the_search(self):
        for option in ("--svg", "--dot"):
            self.assert_refused(10, "plan", self.path("missing.json"), option, self.path("no/such/folder"),
                                mentions=["no/such/folder"])

    def test_no_split_no_picture(self):
        file = self.write("large.json", workload([node(1, size=100, cpuLatency=1e9)], [], memory=10, hosts=0))
        err = self.assert_refused(9, "plan", file, "-q", "--svg", self.path("a.svg"), "--dot", self.path("a.dot"))
        self.assertIn("nothing to draw", err)
        self.assertFalse(os.path.exists(self.path("a.svg")) or os.path.exists(self.path("a.dot")))


if __name__ == "__main__":
    main()
