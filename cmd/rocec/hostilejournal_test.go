package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/commands"
)

// evil is a command that leaves a trace on a device if it runs.
const evil = "touch /tmp/evil"

// header is the first line of a journal as a JSON object that a test can edit.
type header = map[string]any

// journalOf returns the path of the present user's journal of a run.
func (o *office) journalOf(run string) string {
	return filepath.Join(o.homes, o.person, "state", "rocec", "runs", run+".jsonl")
}

// edits changes the first line of a journal.
func (o *office) edits(t *testing.T, run string, change func(h header)) {
	t.Helper()
	text, err := os.ReadFile(o.journalOf(run))
	require.NoError(t, err)
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	var line map[string]header
	require.NoError(t, json.Unmarshal(first, &line))
	for _, h := range line {
		change(h)
	}
	first, err = json.Marshal(line)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(o.journalOf(run), append(append(first, '\n'), rest...), 0o600))
}

// keepsBeside puts a content beside a journal, and returns its hash.
func (o *office) keepsBeside(t *testing.T, run, content string) string {
	t.Helper()
	sum := commands.Sum([]byte(content))
	require.NoError(t, os.WriteFile(filepath.Join(strings.TrimSuffix(o.journalOf(run), ".jsonl"), "before", sum), []byte(content), 0o600))
	return sum
}

// harmless checks that evil ran on no device.
func (o *office) harmless(t *testing.T) {
	t.Helper()
	for _, d := range []string{"tor", "store1", "store2"} {
		require.NotContains(t, o.root(t, d, "ls /tmp"), "evil", d)
	}
}

// each calls a function for the objects in a list of a header.
func each(h any, do func(x header)) {
	list, _ := h.([]any)
	for _, x := range list {
		if x, ok := x.(header); ok {
			do(x)
		}
	}
}

// tor returns the device of that name, and changeOf returns its first change.
func tor(h header) (d header) {
	each(h["devices"], func(x header) {
		if x["name"] == "tor" {
			d = x
		}
	})
	return d
}

func changeOf(h header) header { return tor(h)["changes"].([]any)[0].(header) }

// insertCommands puts commands at every place where a journal of an earlier rocec had them.
func insertCommands(h header) {
	each(h["steps"], func(s header) {
		s["cmd"], s["stdin"], s["keep"], s["units"] = evil, evil, evil, "evil.service"
		s["undo"], s["loaded"], s["back"] = header{"cmd": evil}, header{"cmd": evil}, header{"cmd": evil}
	})
	each(h["queries"], func(q header) { q["cmd"] = evil })
	checks := []any{}
	each(h["checkers"], func(header) { checks = append(checks, evil) })
	h["checks"] = append(checks, evil, evil, evil)
}

// hostile are edits of a journal that every verb refuses, with a part of the reason.
func hostile(t *testing.T, o *office, run string) map[string]struct {
	edit func(h header)
	why  string
} {
	const other = "is not the one that the device received"
	const unknown = "this rocec knows no step, query or checker with the name"
	bad := o.keepsBeside(t, run, "#!/bin/sh\n"+evil+"\n")
	step := func(name string) func(h header) {
		return func(h header) { each(h["steps"], func(s header) { s["name"] = name }) }
	}
	return map[string]struct {
		edit func(h header)
		why  string
	}{
		"a step that is a command":      {step(evil), unknown},
		"a step with a command":         {step("mlx5 apply $(" + evil + ")"), unknown},
		"a step behind a step":          {step("cumulus reload\n" + evil), unknown},
		"another step":                  {step("cumulus restart"), other},
		"a step that goes back":         {step("back | nic/ens1f0 " + bad + " mlx5 show ens1f0 | mlx5 apply ens1f0"), other},
		"a query that is a command":     {func(h header) { each(h["queries"], func(q header) { q["name"] = evil }) }, ""},
		"a checker that is a command":   {func(h header) { each(h["checkers"], func(c header) { c["name"] = evil }) }, unknown},
		"no checker":                    {func(h header) { delete(changeOf(h), "check") }, other},
		"another path":                  {func(h header) { changeOf(h)["path"] = "/etc/cron.d/x" }, other},
		"a path that leads elsewhere":   {func(h header) { changeOf(h)["path"] = "/etc/../etc/x" }, "it names a path that rocec never writes"},
		"another content from before":   {func(h header) { changeOf(h)["base"] = bad }, other},
		"another content afterwards":    {func(h header) { changeOf(h)["target"] = bad }, other},
		"no hash":                       {func(h header) { changeOf(h)["base"] = "x" }, "it has no hash for"},
		"another mode":                  {func(h header) { changeOf(h)["mode"] = 0o4777 }, ""},
		"a number that is none":         {func(h header) { changeOf(h)["step"] = 99 }, "it names step 99, and has"},
		"a device twice":                {func(h header) { tor(h)["name"] = "store1" }, "it has store1 twice"},
		"a name that no device has":     {func(h header) { tor(h)["name"] = "tor\x1b[1m" }, "a device has a name that is invalid in a fabric"},
		"a wave that is none":           {func(h header) { tor(h)["wave"] = -5 }, "the wave of tor is none"},
		"a later rocec":                 {func(h header) { h["format"] = journal.Format + 1 }, "a later rocec"},
		"no confirmation is waited for": {func(h header) { delete(h, "hold") }, ""},
		"the change of another device": {func(h header) {
			switched := map[any]string{"tor": "store1", "store1": "tor"}
			each(h["devices"], func(d header) {
				if name := switched[d["name"]]; name != "" {
					d["name"] = name
				}
			})
		}, other},
	}
}

// TestHostileJournal: an edit of the journal of a run has no effect on a device, with any verb. rocec refuses a device with other
// contents, and one whose journal has unknown names; the message states the reason.
func TestHostileJournal(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	for _, kept := range []bool{false, true} {
		t.Run(map[bool]string{false: "held", true: "kept"}[kept], func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, oneRack)
			o.want(t, exit.Good, "plan")
			factory := o.content(t)
			run := o.holds(t)
			verbs := [][]string{{"resume", run}, {"confirm", run}, {"rollback", "--auto-approve", "--soak", "0s", run}}
			if kept {
				o.want(t, exit.Good, "confirm", run)
				verbs = verbs[2:]
			}
			changed := o.content(t)
			good, err := os.ReadFile(o.journalOf(run))
			require.NoError(t, err)
			cases := hostile(t, o, run)
			for _, name := range slices.Sorted(maps.Keys(cases)) {
				c := cases[name]
				for _, verb := range verbs {
					o.edits(t, run, func(h header) { c.edit(h) })
					code, stdout, stderr := rocec(t, append([]string{verb[0], "-C", o.dir, "--lab=" + o.lab}, verb[1:]...)...)
					said := stdout + stderr
					require.NotEqual(t, exit.Good, code, "%s, %s: %s", name, verb, said)
					require.Contains(t, said, c.why, "%s, %s", name, verb)
					require.NoError(t, os.WriteFile(o.journalOf(run), good, 0o600))
				}
				o.harmless(t)
			}
			now := o.content(t)
			for name, text := range changed {
				if strings.HasPrefix(name, "tor ") {
					require.Equal(t, text, now[name], name)
				}
			}
			// Other texts of the journal are escaped before they reach a terminal.
			o.edits(t, run, func(h header) {
				tor(h)["about"] = "\x1b[1m\n::error::x"
				changeOf(h)["base"] = strings.Repeat("0", 64)
			})
			code, stdout, stderr := rocec(t, "rollback", "-C", o.dir, "--lab="+o.lab, "--auto-approve", "--soak", "0s", run)
			require.NotEqual(t, exit.Good, code)
			require.NotContains(t, stdout+stderr, "\x1b")
			require.NotContains(t, stdout+stderr, "\n::error")
			require.NoError(t, os.WriteFile(o.journalOf(run), good, 0o600))
			// A line with an edit in the form of an earlier rocec has no effect.
			o.edits(t, run, insertCommands)
			out := o.want(t, exit.Good, "rollback", "--auto-approve", "--soak", "0s", run)
			require.Contains(t, out, map[bool]string{false: "restored", true: "applied"}[kept])
			o.harmless(t)
			o.same(t, factory, "the journal was edited")
		})
	}
}

// TestOlderJournal: rocec never runs the commands in a journal of an earlier rocec. It lists the run, and asks the devices which parts of
// it they have.
func TestOlderJournal(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	older := func(h header) {
		insertCommands(h)
		delete(h, "format")
		h["hooks"] = header{"drain": []any{"sh", "-c", evil}, "undrain": []any{"sh", "-c", evil}, "timeout": 60000000000}
	}
	for _, kept := range []bool{false, true} {
		t.Run(map[bool]string{false: "held", true: "kept"}[kept], func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, oneRack)
			o.want(t, exit.Good, "plan")
			factory := o.content(t)
			run := o.holds(t)
			if kept {
				o.want(t, exit.Good, "confirm", run)
			}
			o.edits(t, run, older)
			code, stdout, _ := rocec(t, "runs")
			require.Equal(t, exit.Good, code)
			require.Contains(t, stdout, run)
			require.NoError(t, os.Rename(o.dir, o.dir+"2"))
			code, _, stderr := rocec(t, "rollback", "--auto-approve", run)
			require.Equal(t, exit.Usage, code)
			require.Contains(t, stderr, "but there is no fabric in "+o.dir+": name it with -C DIR")
			require.NoError(t, os.Rename(o.dir+"2", o.dir))
			if !kept {
				require.Contains(t, o.want(t, exit.Usage, "resume", run), "waits to be confirmed")
				o.edits(t, run, older) // and its first line stays the earlier rocec's
			}
			out := o.want(t, exit.Good, "rollback", "--auto-approve", "--soak", "0s", run)
			if kept {
				require.Contains(t, out, "An earlier rocec wrote the journal of run "+run+". It contains commands, and this rocec runs none of them. "+
					"It asks the devices of the fabric in "+o.dir+" instead: 3 devices hold the run.")
			}
			require.Contains(t, out, map[bool]string{false: "restored", true: "applied"}[kept])
			o.harmless(t)
			o.same(t, factory, "an earlier rocec's journal")
		})
	}
}

// TestHostileAdoption: rocec does not trust the journal of an adopted run. It asks the devices again before it acts, so an edit of the
// journal has no effect.
func TestHostileAdoption(t *testing.T) {
	t.Parallel()
	o := newOffice(t, oneRack)
	o.want(t, exit.Good, "plan")
	factory := o.content(t)
	run := o.holds(t)
	o.sits(t, "bob")
	require.Contains(t, o.want(t, exit.Good, "confirm", run), "3 applied")
	bad := o.keepsBeside(t, run, "#!/bin/sh\n"+evil+"\n")
	text, err := os.ReadFile(o.journalOf(run))
	require.NoError(t, err)
	lines := bytes.SplitAfter(text, []byte("\n"))
	found := 0
	for i, line := range lines {
		var entry map[string]header
		if json.Unmarshal(line, &entry) != nil {
			continue
		}
		for _, kind := range []string{"begin", "adopt"} {
			h := entry[kind]
			if h == nil {
				continue
			}
			found++
			insertCommands(h)
			changeOf(h)["base"] = bad
			each(h["steps"], func(s header) { s["name"] = "unknown step 0 60 false" })
			tor(h)["Told"] = true
			if lines[i], err = json.Marshal(entry); err != nil {
				require.NoError(t, err)
			}
			lines[i] = append(lines[i], '\n')
		}
	}
	require.Positive(t, found)
	require.NoError(t, os.WriteFile(o.journalOf(run), bytes.Join(lines, nil), 0o600))
	require.Contains(t, o.want(t, exit.Good, "rollback", "--auto-approve", "--soak", "0s", run), "3 applied")
	o.harmless(t)
	o.same(t, factory, "the journal of the person who adopted the run was edited")
}

// TestJournalHooks: the journal does not contain programs. The person who resumes names the program that puts traffic back, and rocec
// compares it with the run's.
func TestJournalHooks(t *testing.T) {
	t.Parallel()
	o := newOffice(t, oneRack)
	trace := filepath.Join(t.TempDir(), "trace")
	flags := []string{"--undrain", "sh", "--undrain", "-c", "--undrain", `echo "$ROCEC_WAVE $ROCEC_DEVICES" >>` + trace}
	out := o.want(t, exit.Good, append([]string{"apply", "--auto-approve", "--soak", "0s"}, flags...)...)
	require.Contains(t, out, "Applied.")
	require.NoError(t, os.Remove(trace))
	runs, err := filepath.Glob(filepath.Join(o.homes, "alice", "state", "rocec", "runs", "*.jsonl"))
	require.NoError(t, err)
	require.Len(t, runs, 1)
	run := strings.TrimSuffix(filepath.Base(runs[0]), ".jsonl")
	text, err := os.ReadFile(runs[0])
	require.NoError(t, err)
	require.NotContains(t, string(text), trace, "a command is in the journal")

	spoilt := filepath.Join(t.TempDir(), "evil")
	o.edits(t, run, func(h header) {
		h["hooks"] = header{"undrain": []any{"touch", spoilt}, "timeout": 60000000000}
		h["hook_sums"].(header)["timeout"] = 1
	})
	died := `{"hook":{"hook":"drain","wave":1,"done":true}}` + "\n"
	text, err = os.ReadFile(runs[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(runs[0], append(text, died...), 0o600))
	for _, verb := range []string{"resume", "confirm", "rollback"} {
		require.Contains(t, o.want(t, exit.Usage, verb, run, "--undrain", "touch", "--undrain", spoilt), "--undrain differs from that of run ")
	}
	require.Contains(t, o.want(t, exit.Incomplete, "resume", run), "drained wave 1, and the traffic was not put back. The journal keeps no "+
		"commands, so name the program of the run again: rocec resume "+run+" --undrain PROGRAM")
	require.NoFileExists(t, trace)
	require.Contains(t, o.want(t, exit.Good, append([]string{"resume", run}, flags...)...), "is over")
	put, err := os.ReadFile(trace)
	require.NoError(t, err)
	require.Regexp(t, `^1 \S+`, string(put))
	require.Contains(t, o.want(t, exit.Good, "resume", run), "is over", "traffic is back")
	require.NoFileExists(t, spoilt)
}

// rollback refuses a journal that was copied without its folder, and its message names the folder to copy.
func TestJournalCopiedByHand(t *testing.T) {
	t.Parallel()
	o := newOffice(t, oneRack)
	run := o.holds(t)
	o.want(t, exit.Good, "confirm", run)
	require.NoError(t, os.RemoveAll(strings.TrimSuffix(o.journalOf(run), ".jsonl")))
	code, stdout, stderr := rocec(t, "rollback", "-C", o.dir, "--lab="+o.lab, "--auto-approve", "--soak", "0s", run)
	said := strings.Join(strings.Fields(stdout+stderr), " ")
	require.NotEqual(t, exit.Good, code, said)
	require.Contains(t, said, "copy the folder "+run+" from the machine that has the whole run")
	require.NotContains(t, said, "statat")
}
