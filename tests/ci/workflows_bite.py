#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The workflows as they are pass ci/workflows; one breach after another is planted into a copy, and the
rule that forbids it must name it. ci/output's delimiters are looked at too. Usage: workflows_bite.py SOURCE_DIR"""

import importlib.machinery
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1]).resolve()
FLOWS = SOURCE / ".github" / "workflows"
CHECKOUT = "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683"
GIT = "apt-get update -qq && apt-get install -y -qq --no-install-recommends ca-certificates git"
SHARD_RUN = 'head/ci/gate-shard --head head --base base --shard "$SHARD/4" --report "reports/shard-$SHARD.json"'
COMMENT_RUN = "python3 -I comment --ckbench ckbench --reports ../reports --shards 4"
TIP = "ref: ${{ github.event.pull_request.base.sha }}"

# The rule, the workflow, a text of it (its last occurrence is taken), what stands there instead.
PLANTS = [
    ("only_safe_triggers", "ci", "  pull_request:\n", "  pull_request_target:\n"),
    ("only_safe_triggers", "ci", "  pull_request:\n", "  pull_request:\n  workflow_run:\n    workflows: [ci]\n"),
    ("only_safe_triggers", "bench", "  workflow_dispatch:\n", "  issue_comment:\n  workflow_dispatch:\n"),
    ("actions_are_pinned", "ci", CHECKOUT + " # v4.2.2", "actions/checkout@v4 # v4.2.2"),
    ("actions_are_pinned", "ci", CHECKOUT, CHECKOUT[:-1]),
    ("actions_are_pinned", "ci", CHECKOUT, CHECKOUT.replace("actions/", "someone/")),
    ("actions_are_pinned", "ci", CHECKOUT + " # v4.2.2", CHECKOUT),
    ("actions_are_pinned", "bench", f"uses: {CHECKOUT}", "uses: ./.github/actions/own"),
    ("permissions_are_minimal", "ci", "permissions:\n  contents: read\n", "permissions: write-all\n"),
    ("permissions_are_minimal", "bench", "permissions:\n  contents: read\n", ""),
    ("permissions_are_minimal", "ci", "    needs: base\n", "    needs: base\n    permissions: {contents: read}\n"),
    ("only_the_comment_writes", "ci", "    needs: base\n", "    needs: base\n    permissions: {pull-requests: write}\n"),
    ("only_the_comment_writes", "ci", "      pull-requests: write", "      pull-requests: write\n      contents: write"),
    ("only_the_comment_writes", "ci", "      pull-requests: write", "      pull-requests: read"),
    ("no_expression_in_run", "ci", "run: ci/try", "run: ci/try ${{ matrix.shard }}"),
    ("no_expression_in_run", "ci", "run: ci/try", "run: echo ${{ github.event.pull_request.title }}"),
    ("only_known_expressions", "ci", "SHARD: ${{ matrix.shard }}", "SHARD: ${{ github.event.pull_request.title }}"),
    ("only_known_expressions", "ci", "SHARD: ${{ matrix.shard }}", "SHARD: ${{ github.head_ref }}"),
    ("only_known_expressions", "ci", "path: head\n", "path: ${{ github.event.pull_request.head.ref }}\n"),
    ("only_known_expressions", "ci", "SHARD: ${{ matrix.shard }}", "SHARD: ${{ matrix.shard"),
    ("only_known_conditions", "ci", "        if: always()\n        with:\n          name: try", "        if: success() || contains(github.event.pull_request.title, 'x')\n        with:\n          name: try"),
    ("checkouts_keep_no_token", "ci", "          path: head\n          persist-credentials: false", "          path: head"),
    ("checkouts_keep_no_token", "bench", "persist-credentials: false", "persist-credentials: true"),
    ("checkouts_keep_no_token", "ci", TIP, "ref: ${{ github.event.pull_request.head.sha }}"),
    ("checkouts_keep_no_token", "ci", "          path: head\n", "          path: head\n          repository: some/one\n"),
    ("no_secrets", "ci", "      SHARD: ${{", "      KEY: ${{ secrets.KEY }}\n      SHARD: ${{"),
    ("no_secrets", "ci", "      SHARD: ${{", "      GITHUB_TOKEN: ${{ github.token }}\n      SHARD: ${{"),
    ("no_secrets", "bench", "defaults:\n", "env:\n  T: ${{ github.token }}\ndefaults:\n"),
    ("no_cache", "ci", f"      - run: {SHARD_RUN}", "      - uses: actions/cache@0123456789012345678901234567890123456789 # v4.0.0\n      - run: true"),
    ("outputs_by_ci_output_alone", "ci", "run: ci/output commit ci/ir-base", "run: echo \"commit=$(ci/ir-base)\" >>\"$GITHUB_OUTPUT\""),
    ("outputs_by_ci_output_alone", "ci", f"run: {SHARD_RUN}", "run: echo A=B >>\"$GITHUB_ENV\""),
    ("work_is_in_ci", "ci", "- run: ci/try\n", "- run: |\n          a\n          b\n          c\n"),
    ("jobs_end", "ci", "    timeout-minutes: 10\n", ""),
    ("jobs_end", "bench", "    timeout-minutes: 90\n", "    timeout-minutes: 900\n"),
    ("jobs_end", "ci", "    runs-on: ubuntu-24.04\n", "    runs-on: self-hosted\n"),
    ("needs_and_outputs_fit", "ci", "needs: [base, budget, renderer]", "needs: [base, budget, renderers]"),
    ("needs_and_outputs_fit", "ci", "needs: [base, budget, renderer]", "needs: [budget, renderer]"),
    ("needs_and_outputs_fit", "ci", "      comment: ${{ steps", "      comments: ${{ steps"),
    ("needs_and_outputs_fit", "ci", "- id: build", "- id: building"),
    ("one_run_per_pull_request", "ci", "group: ci-${{ github.event.pull_request.number || github.ref }}", "group: ci"),
    ("base_is_chosen_once", "ci", "run: ci/output commit ci/ir-base", "run: ci/output commit git rev-parse HEAD"),
    ("base_is_chosen_once", "ci", f"          {TIP}\n          fetch-depth: 0\n", "          fetch-depth: 0\n"),
    ("base_is_chosen_once", "ci", "commit: ${{ steps.pick", "commit: x ${{ steps.pick"),
    ("shards_are_alike", "ci", "shard: [1, 2, 3, 4]", "shard: [1, 2, 3]"),
    ("shards_are_alike", "ci", "shard: [1, 2, 3, 4]", "shard: [1, 2, 4, 4]"),
    ("shards_are_alike", "ci", "--shards 4", "--shards 3"),
    ("shards_are_alike", "ci", "(shard ${{ matrix.shard }}/4)", "(${{ matrix.shard }}/4)"),
    ("shards_are_alike", "ci", "      fail-fast: false\n      matrix:\n        shard", "      matrix:\n        shard"),
    ("shards_are_alike", "ci", '--shard "$SHARD/4"', '--shard "1/4"'),
    ("shards_have_two_checkouts", "ci", "path: base\n", "path: the-base\n"),
    ("shards_have_two_checkouts", "ci", "ref: ${{ needs.base.outputs.commit }}", TIP),
    ("shards_have_two_checkouts", "ci", "          path: head\n", f"          path: head\n          {TIP}\n"),
    ("artifacts_fit", "ci", "        if: always()\n        with:\n          name: instruction", "        with:\n          name: instruction"),
    ("artifacts_fit", "ci", "name: instruction-budget-shard-${{ matrix.shard }}", "name: shard-${{ matrix.shard }}"),
    ("artifacts_fit", "ci", "          overwrite: true\n", ""),
    ("artifacts_fit", "ci", "pattern: instruction-budget-shard-*", "pattern: instruction-*"),
    ("artifacts_fit", "ci", "          pattern: instruction", "          merge-multiple: true\n          pattern: instruction"),
    ("artifacts_fit", "ci", "name: instruction-budget-renderer\n          path: ${{", "name: instruction-budget-shard-1\n          path: ${{"),
    ("renderer_is_the_base", "ci", f"          {TIP}\n          persist", "          persist"),
    ("renderer_is_the_base", "ci", f"      - uses: {CHECKOUT} # v4.2.2\n        with:\n          {TIP}\n          persist", f"      - uses: {CHECKOUT} # v4.2.2\n        with:\n          path: head\n          persist-credentials: false\n      - uses: {CHECKOUT} # v4.2.2\n        with:\n          {TIP}\n          persist"),
    ("renderer_is_the_base", "ci", "    name: Instruction budget renderer\n", "    name: Instruction budget renderer\n    needs: budget\n"),
    ("renderer_is_the_base", "ci", "      ckbench: ${{ steps.build.outputs.ckbench }}\n", ""),
    ("comment_checks_nothing_out", "ci", "          name: instruction-budget-renderer\n          path: ${{", f"          name: instruction-budget-renderer\n      - uses: {CHECKOUT} # v4.2.2\n        with:\n          persist-credentials: false\n          path: ${{{{"),
    ("comment_checks_nothing_out", "ci", "chmod 755 ckbench", "git clone x && chmod 755 ckbench"),
    ("comment_checks_nothing_out", "ci", "    timeout-minutes: 10\n", "    timeout-minutes: 10\n    container: debian:12\n"),
    ("comment_checks_nothing_out", "ci", "      - name: one comment", "      - run: ../reports/x\n      - name: one comment"),
    ("comment_verifies_first", "ci", "COMMENT_SHA256: ${{ needs.renderer.outputs.comment }}", "COMMENT_SHA256: ${{ needs.renderer.outputs.ckbench }}"),
    ("comment_verifies_first", "ci", "sha256sum --check --strict", "cat"),
    ("comment_verifies_first", "ci", "sha256sum --check --strict", "sha256sum --check --strict || true"),
    ("comment_verifies_first", "ci", "        working-directory: ${{ runner.temp }}/renderer\n        env:\n          CKBENCH", "        continue-on-error: true\n        working-directory: ${{ runner.temp }}/renderer\n        env:\n          CKBENCH"),
    ("comment_verifies_first", "ci", "        env:\n          BASE", "        if: always()\n        env:\n          BASE"),
    ("comment_verifies_first", "ci", COMMENT_RUN, COMMENT_RUN.replace("comment ", "../reports/comment ", 1)),
    ("comment_verifies_first", "ci", "python3 -I comment", "python3 comment"),
    ("token_for_one_step", "ci", "          CKBENCH_SHA256:", "          GITHUB_TOKEN: ${{ github.token }}\n          CKBENCH_SHA256:"),
    ("token_for_one_step", "ci", "    timeout-minutes: 10\n", "    timeout-minutes: 10\n    env: {GITHUB_TOKEN: '${{ github.token }}'}\n"),
    ("comment_always_and_for_no_fork", "ci", "if: always() && github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name == github.repository", "if: github.event_name == 'pull_request'"),
    ("comment_always_and_for_no_fork", "ci", "needs: [base, budget, renderer]", "needs: [base, renderer]"),
    ("comments_come_one_by_one", "ci", "      cancel-in-progress: false\n", "      cancel-in-progress: true\n"),
    ("comments_come_one_by_one", "ci", "group: instruction-budget-comment-${{ github.event.pull_request.number }}", "group: comment"),
    ("budget_is_for_pull_requests", "ci", "    name: Instruction budget renderer\n    if: github.event_name == 'pull_request'\n", "    name: Instruction budget renderer\n"),
    ("budget_is_for_pull_requests", "ci", "  comment:\n    name", "  remark:\n    name"),
]
UNREADABLE = [("ci", "permissions:\n  contents: read\n", "permissions:\n  contents: read\npermissions: write-all\n"), ("ci", "jobs:\n", "jobs: [\n")]


def load_judge():
    loader = importlib.machinery.SourceFileLoader("workflows_judge", str(SOURCE / "ci" / "workflows"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("workflows_judge", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def planted(folder, flow, old, new):
    text = (FLOWS / f"{flow}.yml").read_text()
    at = text.rfind(old)
    if at < 0:
        sys.exit(f"stands nowhere in {flow}.yml: {old}")
    path = pathlib.Path(folder) / f"{flow}.yml"
    path.write_text(text[:at] + new + text[at + len(old) :])
    return path


def output(folder, *words):
    """What ci/output writes for a workflow, and its exit status."""
    path = pathlib.Path(folder) / "output"
    path.write_text("")
    done = subprocess.run([SOURCE / "ci" / "output", *words], capture_output=True, check=False,
                          env={"PATH": os.environ["PATH"], "GITHUB_OUTPUT": str(path)})
    return path.read_text(), done.returncode


def faults_of_output(folder):
    """A text cannot end its own value and begin another: nobody knows the delimiter beforehand."""
    text = "a<<EOF\nb=c\nEOF"
    written = [output(folder, "commit", "printf", text) for _ in range(2)]
    found = [re.fullmatch(r"commit<<([0-9a-f]{32})\na<<EOF\nb=c\nEOF\n\1\n", one) for one, _ in written]
    if not all(found) or found[0][1] == found[1][1]:
        yield f"ci/output writes {written}"
    for words, status in ((("commit", "false"), 1), (("commit",), 2), (("A=b\nc", "true"), 2), ((), 2)):
        if output(folder, *words) != ("", status):
            yield f"ci/output {words}: {output(folder, *words)}"


def main():
    judge = load_judge()
    failed = [f"the workflows themselves: {fault}" for path in FLOWS.iterdir() for fault in judge.faults_of(path)]
    rules = {rule.__name__ for rule in judge.GENERAL + judge.BUDGET}
    failed += [f"no breach is planted for {rule}" for rule in sorted(rules ^ {plant[0] for plant in PLANTS})]
    with tempfile.TemporaryDirectory() as folder:
        failed += faults_of_output(folder)
        for rule, flow, old, new in PLANTS:
            faults = list(judge.faults_of(planted(folder, flow, old, new)))
            if not any(fault.startswith(f"{rule}: ") for fault in faults):
                failed.append(f"{rule} does not see: {new!r}; all that is seen: {faults}")
        for flow, old, new in UNREADABLE:
            try:
                list(judge.faults_of(planted(folder, flow, old, new)))
                failed.append(f"was read: {new!r}")
            except judge.yaml.YAMLError:
                pass
    print("\n".join(failed + [f"{len(PLANTS) + len(UNREADABLE)} breaches, {len(rules)} rules, {len(failed)} failures"]))
    return 1 if failed else 0


sys.exit(main())
