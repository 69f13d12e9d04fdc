# SPDX-License-Identifier: Apache-2.0
"""Platforms: known ones, files, and plain numbers."""

import math
import pickle

import planning_support  # noqa: F401: skips all without the compiled module
import pytest

from partita import InputError, Platform


def test_a_composition_has_its_devices():
    platform = Platform("2x(4xa100-nvlink)+ib")
    assert [(one.name, one.kind, one.count) for one in platform.classes] == [("a100-nvlink", "accelerator", 8)]
    assert platform.classes[0].memory == 80e9


def test_numbers_take_the_place_of_a_graphs_own():
    platform = Platform.of(accelerators=3, memory="16GiB", hosts=1)
    assert platform.classes == []
    assert repr(platform) == "Platform.of(accelerators=3, memory=17179869184.0, hosts=1)"


def test_devices_with_other_numbers():
    platform = Platform("2xt4").having(accelerators=5, memory="4 GB")
    assert (platform.classes[0].count, platform.classes[0].memory) == (5, 4e9)


def test_a_platform_is_saved_and_read(tmp_path):
    platform = Platform("a100+2xrtx3090+epyc")
    platform.save(tmp_path / "platform.json")
    again = Platform.read(tmp_path / "platform.json")
    assert again.to_json() == platform.to_json()
    assert Platform(tmp_path / "platform.json").to_json() == platform.to_json()


@pytest.mark.parametrize("platform", [Platform("2xa100-nvlink"), Platform.of(accelerators=2, memory=1e9)])
def test_a_platform_is_pickled(platform):
    again = pickle.loads(pickle.dumps(platform))
    assert [repr(one) for one in again.classes] == [repr(one) for one in platform.classes]
    assert again._handle.numbers == platform._handle.numbers


def test_presets_name_devices_links_and_servers():
    presets = Platform.presets()
    assert "t4" in presets.devices and "ib" in presets.links and "p4d.24xlarge" in presets.servers
    assert "devices:" in repr(presets)


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: Platform("4xa1000"), "'a1000' is no device"),
        (lambda: Platform("missing.json"), "cannot be opened"),
        (lambda: Platform.of(accelerators=-1), "accelerators"),
        (lambda: Platform.of(memory="16 zebras"), "memory: found '16 zebras'"),
        (lambda: Platform.of(clusters="two"), "clusters: 'two' is not COUNT:FACTOR"),
        (lambda: Platform.of(accelerators=2).to_json(), "only changes numbers"),
        (lambda: Platform("a100+t4").having(accelerators=2), "2 classes of accelerators"),
    ],
)
def test_what_is_no_platform(make, text):
    with pytest.raises(InputError, match=".*" + text.replace("(", r"\(")):
        make()


def test_hosts_have_no_memory_limit_unless_they_say():
    assert Platform("epyc").classes[0].kind == "host"
    assert not math.isnan(Platform("epyc").classes[0].memory)
