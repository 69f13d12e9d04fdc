# SPDX-License-Identifier: Apache-2.0
"""partita bench paper, on a folder of workloads made on the spot."""

import os
import subprocess
import xml.dom.minidom

from harness import PARTITA, CliTest, chain, main


class PaperBench(CliTest):
    def setUp(self):
        super().setUp()
        for folder in ("paper/in/LayerGraphs", "paper/human-experts"):
            os.makedirs(self.path(folder))
        self.write("paper/in/LayerGraphs/chain_inference.json", chain())
        self.write("paper/in/LayerGraphs/chain_training.json", chain())
        self.write("paper/human-experts/chain_inference_expert.json",
                   {"fpgas": [{"nodes": [0]}, {"nodes": [10, 20, 30]}, {"nodes": []}]})

    def write_tables(self, **tables):
        self.write("paper/tables.json", {"throughput": [], "operatorVsLayer": [], "latency": []} | tables)

    def row(self, kind="inference", **cells):
        return {"workload": "Chain", "kind": kind, "file": f"in/LayerGraphs/chain_{kind}.json"} | cells

    def bench(self):
        self.run_program("bench", "paper", "--workloads", self.folder, "-q", "-o", self.path("out"))
        return self.read_json("out/paper.json")

    def cells(self, result, table, row=0):
        tables = {t["name"]: t for t in result["tables"]}
        return {cell["column"]: cell for cell in tables[table]["rows"][row]["cells"]}

    def test_cells_beside_the_papers(self):
        self.write_tables(
            throughput=[self.row(dp={"tps": 2.1, "runtime": "3s"}, expert=3.1, localSearch=None, dpl=2.5),
                        self.row("training", dp={"tps": 2.1, "runtime": "3s"}, expert=3.0)],
            latency=[self.row(greedy=4.0, maxLoadDp=4.2, expert="OOM",
                              ip={"latency": 5, "runtime": ">1h", "certifiedGap": "9%"})])
        result = self.bench()
        cells = self.cells(result, "throughput")
        self.assertEqual(set(cells), {"DP", "Expert", "DPL"})
        self.assertTrue(cells["DP"]["optimal"])
        self.assertAlmostEqual(cells["DP"]["value"], 2.1)
        self.assertNotIn("why", cells["DP"])
        self.assertEqual(cells["DP"]["paper_runtime"], "3s")
        self.assertNotIn("why", cells["Expert"])
        self.assertAlmostEqual(cells["DPL"]["difference"], 2.1 / 2.5 - 1)
        self.assertIn("why", cells["DPL"])
        # Inference's expert serves training too.
        self.assertAlmostEqual(self.cells(result, "throughput", 1)["Expert"]["value"], 3.1)
        latency = self.cells(result, "latency")
        self.assertAlmostEqual(latency["IP"]["value"], 4)
        self.assertIn("why", latency["Expert"])

        text = self.read("out/paper.md")
        self.assertRegex(text, r"(?m)^\| Chain +\| inference +\| LayerGraphs \| +2\.10 / 2\.10 \| +\S+ / 3s \| +0 % ")
        self.assertIn("[1] DPL", text)
        chart = xml.dom.minidom.parse(self.path("out/paper.svg"))
        self.assertGreaterEqual(len(chart.getElementsByTagName("title")), 5)

    def test_tables_go_to_standard_output(self):
        self.write_tables(throughput=[self.row(dp={"tps": 2.1})])
        out, err = self.run_program("bench", "paper", "--workloads", self.folder)
        self.assertIn("2.10 / 2.10", out)
        self.assertEqual(err, "")

    def test_the_environment_names_the_folder(self):
        self.write_tables(throughput=[self.row(dp={"tps": 2.1})])
        done = subprocess.run([PARTITA, "bench", "paper", "-q"], env=os.environ | {"PARTITA_WORKLOADS": self.folder},
                              stdout=subprocess.PIPE, timeout=100, check=True)
        self.assertIn(b"2.10 / 2.10", done.stdout)

    def test_refusals(self):
        self.assert_refused(3, "bench", "paper", "--workloads", self.path("nowhere"),
                            mentions=["paper/tables.json", "PARTITA_WORKLOADS"])
        self.assert_refused(2, "bench", "other", mentions=["paper"])
        self.write_tables(throughput=[self.row(dp={"tps": "fast"})])
        self.assert_refused(5, "bench", "paper", "--workloads", self.folder, mentions=["throughput[0].dp.tps"])
        self.write_tables(operatorVsLayer=[{"workload": "Chain", "kind": "inference", "operator": 1}])
        self.assert_refused(5, "bench", "paper", "--workloads", self.folder, mentions=["operatorVsLayer"])
        self.write_tables()
        self.write("file", "x")
        self.assert_refused(10, "bench", "paper", "--workloads", self.folder, "-o", self.path("file"))


if __name__ == "__main__":
    main()
