"""Describes a run: the card, its driver, and the versions of all peers."""

import platform
import subprocess

import provenance


def nvidia_smi(field):
    query = ["nvidia-smi", f"--query-gpu={field}", "--format=csv,noheader", "--id=0"]
    return subprocess.run(query, capture_output=True, text=True).stdout.strip()


def described(torch, peers, options):
    """`card` identifies the card and `library` the build; the libraries report the versions."""
    import triton

    versions = {"python": platform.python_version(), "torch": torch.__version__, "triton": triton.__version__,
                "cuda": torch.version.cuda, "driver": nvidia_smi("driver_version")}
    versions |= {name: peer.version() for name, peer in peers.items() if hasattr(peer, "version")}
    return {"device": torch.cuda.get_device_name(), "card": provenance.card(),
            **provenance.of_run(options.library, versions, options.before if "before" in peers else None)}
