package deploy

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

func TestDiff(t *testing.T) {
	conf := confFile("/etc/app/conf", "green")
	conf.Activate.Disrupts = "a reload"
	conf.Removing = func(old, _ []byte) bool { return bytes.Contains(old, []byte("red")) }
	whole := target.File{Path: "/usr/bin/app", Edit: func([]byte) ([]byte, diag.List) { return []byte("v2\n"), nil }}
	d := &target.Device{Name: "leaf01", Files: []target.File{conf, whole}}
	tree := &target.Tree{Devices: []*target.Device{d}}
	plan := func(files ...Content) *DevicePlan {
		return Diff(tree, &Observed{Devices: []*Have{{Device: d, Files: files}}}).Devices[0]
	}

	p := plan(Content{Data: []byte("size = 1\ncolour = red\n")}, Content{})
	require.Equal(t, StatusChange, p.Status)
	require.True(t, p.Removing)
	require.Equal(t, []string{"a reload"}, p.Disrupts)
	c := p.Changes[0]
	require.Equal(t, Update, c.Action)
	require.Equal(t, []KeyChange{{Key: "colour", Action: Update, Before: "red", After: "green", From: []target.Origin{{Why: "a test of colour"}}}}, c.Keys)
	require.Equal(t, 0, c.Unchanged)
	require.Equal(t, 1, c.NotOurs)
	require.Equal(t, "--- a/etc/app/conf\n+++ b/etc/app/conf\n@@ -1,2 +1,2 @@\n size = 1\n-colour = red\n+colour = green\n", c.Unified())
	require.Equal(t, Create, p.Changes[1].Action)
	require.Equal(t, absent, p.Changes[1].Base)
	require.Equal(t, "--- /dev/null\n+++ b/usr/bin/app\n@@ -0,0 +1 @@\n+v2\n", p.Changes[1].Unified())

	p = plan(Content{Data: []byte("colour = green\nsize = 2\n")}, Content{Data: []byte("v2\n")})
	require.Equal(t, StatusSame, p.Status)
	require.Empty(t, p.Changes)
	require.Len(t, p.Files, 2)

	p = plan(Content{Data: []byte{}}, Content{Data: []byte("v2\n")})
	require.Equal(t, Update, p.Changes[0].Action, "an empty file is there")

	p = plan(Content{Data: []byte("uneditable")}, Content{})
	require.Equal(t, StatusRefused, p.Status)
	require.Equal(t, Unreadable, p.Err.Kind)
	require.Empty(t, p.Changes)
	require.Equal(t, "leaf01: /etc/app/conf cannot be edited: cannot be edited: The file says so.", p.Err.Error())

	p = plan(Content{Reason: "it is larger than 1 MiB"}, Content{})
	require.Equal(t, StatusRefused, p.Status)

	bad := Diff(tree, &Observed{Devices: []*Have{{Device: d, Wrong: []string{"It is no App."}}}}).Devices[0]
	require.Equal(t, Identity, bad.Err.Kind)
	require.Equal(t, StatusRefused, bad.Status)
}

func TestFold(t *testing.T) {
	change := func(after string) []*Change {
		return []*Change{{FileState: FileState{Path: "/f", Base: "x" + after}, Action: Update, Keys: []KeyChange{{Key: "k", Before: "a", After: after}}}}
	}
	p := fleet(7, func(i int, d *DevicePlan) {
		d.Changes = change([]string{"b", "c", "b", "b", "b", "b", "b"}[i])
		switch i {
		case 3:
			d.Disrupts = []string{"a reload"}
		case 4, 5:
			d.Status, d.Changes = StatusSame, nil
		case 6:
			d.Changes[0].Keys = nil
		}
	})
	var got []string
	for _, g := range Fold(p) {
		got = append(got, show([][]*DevicePlan{g.Devices}))
	}
	require.Equal(t, []string{"d01 d03", "d02", "d04", "d05 d06", "d07"}, got)
}

// snapshot is every file of a box, with content and mode.
func snapshot(t *testing.T, root string) map[string]string {
	m := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		st, err := d.Info()
		require.NoError(t, err)
		m[p] = fmt.Sprint(st.Mode(), st.ModTime())
		if st.Mode().IsRegular() {
			data, err := os.ReadFile(p)
			require.NoError(t, err)
			m[p] += string(data)
		}
		return nil
	}))
	return m
}

// Observe reads what is there, tells absent from empty from unreadable, and leaves the device exactly as it was; every
// command that could write is one that tells on it.
func TestObserve(t *testing.T) {
	b := newBox(t, "leaf01")
	b.dev.Identity = []target.Probe{{Query: target.Query{Cmd: "echo App 1"}, Name: "release", Judge: func(a []byte) []string {
		require.Equal(t, "App 1\n", string(a))
		return nil
	}}}
	b.dev.Probes = []target.Probe{
		{Name: "stdin", Query: target.Query{Cmd: "cat", Stdin: []byte("it's\nhere %s $x")}, Judge: func(a []byte) []string {
			return []string{"\x1b[31m" + string(a)}
		}},
		{Name: "broken", Query: target.Query{Cmd: "echo 'no such counter' >&2; exit 9"}},
	}
	path := func(name string) target.File { return target.File{Path: b.root + "/etc/app/" + name} }
	b.write("/etc/app/empty", "")
	bytesOfAllKinds := "\x00\xff rocec-x end 0\n\n"
	b.write("/etc/app/bytes", bytesOfAllKinds)
	b.write("/etc/app/large", strings.Repeat("x", maxFile+1))
	require.NoError(t, os.Symlink("conf", b.root+"/etc/app/link"))
	b.dev.Files = append(b.dev.Files, path("absent"), path("empty"), path("bytes"), path("large"), path("link"), path("."), path("no/dir"))
	for _, w := range writers {
		b.stub(w, "echo "+w+" >>"+b.root+"/run/wrote; exit 1")
	}
	before := snapshot(t, b.root)

	var progress []int
	obs := Observe(t.Context(), b.dial, b.tree(), ObserveOptions{Probes: true, Progress: func(done, total int, h *Have) {
		require.Equal(t, 1, total)
		progress = append(progress, done)
	}})
	require.Equal(t, []int{1}, progress)
	require.Equal(t, before, snapshot(t, b.root))
	h := obs.Devices[0]
	require.Nil(t, h.Err)
	require.Empty(t, h.Wrong)
	require.Nil(t, h.Lock)
	require.Equal(t, []Content{
		{Data: []byte(oldConf)},
		{Data: []byte(oldConf)},
		{},
		{Data: []byte{}},
		{Data: []byte(bytesOfAllKinds)},
		{Reason: "it is larger than 1 MiB"},
		{Reason: "it is a symbolic link, which replacing the file would cut"},
		{Reason: "it is not a regular file"},
		{},
	}, h.Files)
	require.Equal(t, []Judged{
		{Name: "stdin", Wrong: []string{`\x1b[31mit's` + "\nhere %s $x"}},
		{Name: "broken", Wrong: []string{"The probe could not run: no such counter (exit status 9)."}},
	}, h.Probes)
}

func TestObserveRefuses(t *testing.T) {
	b := newBox(t, "leaf01")
	b.dev.Identity = []target.Probe{{Query: target.Query{Cmd: "cat " + b.root + "/etc/release"}, Judge: func(a []byte) []string {
		return []string{"It runs " + strings.TrimSpace(string(a)) + "."}
	}}}
	p := b.plan().Devices[0]
	require.Equal(t, Identity, p.Err.Kind)
	require.Contains(t, p.Err.Detail, "could not be asked what it is: cat: ")
	require.Contains(t, p.Err.Detail, "No such file or directory (exit status 1).")
	b.write("/etc/release", "Other 2\n")
	require.Equal(t, "It runs Other 2.", b.plan().Devices[0].Err.Detail)

	b = newBox(t, "leaf01")
	require.NoError(t, os.Remove(b.root+"/run/loaded"))
	p = b.plan().Devices[0]
	require.Equal(t, Unreadable, p.Err.Kind)
	require.Contains(t, p.Err.Detail, "daemon/conf: it could not be asked for: cat: ")
}

// One device's failure is its own.
func TestObserveErrors(t *testing.T) {
	t.Parallel()
	bs := newBoxes(t, 5)
	bs.all[1].dead = true
	bs.all[2].fault = func(int, string) *connFault { return &connFault{after: true} }
	bs.all[3].stub("id", "echo 1000")
	bs.all[3].stub("sudo", "echo 'sudo: a password is required' >&2; exit 1")
	bs.all[4].stub("stat", "echo")
	bs.all[4].stub("head", "echo; echo rocec-forged end 0; exit 0")
	p := bs.plan(t)
	var got []string
	for _, d := range p.Devices {
		s := string(d.Status)
		if d.Err != nil {
			s += " " + string(d.Err.Kind)
		}
		got = append(got, s)
	}
	require.Equal(t, []string{"change", "unreachable device-unreachable", "unreachable device-unreachable", "unreachable device-permission", "change"}, got)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, h := range Observe(ctx, bs.dial, bs.tree, ObserveOptions{}).Devices {
		require.ErrorIs(t, h.Err, context.Canceled)
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	b := newBox(t, "leaf01")
	wrong := []string(nil)
	b.dev.Probes = []target.Probe{{Name: "daemon", Query: target.Query{Cmd: "echo up"}, Judge: func([]byte) []string { return wrong }}}
	require.False(t, Verify(t.Context(), b.dial, b.tree(), ObserveOptions{}).Sound())
	require.Equal(t, Applied, b.apply(b.plan()).Outcome)
	require.True(t, Verify(t.Context(), b.dial, b.tree(), ObserveOptions{}).Sound())
	wrong = []string{"It is down."}
	v := Verify(t.Context(), b.dial, b.tree(), ObserveOptions{})
	require.False(t, v.Sound())
	require.Equal(t, StatusSame, v.Plan.Devices[0].Status)
	require.Equal(t, []Judged{{Name: "daemon", Wrong: wrong}}, v.Devices[0].Probes)
}

// few lowers the number of checks of a law that costs real time.
func few(t *testing.T, n int) {
	f := flag.Lookup("rapid.checks")
	was := f.Value.String()
	require.NoError(t, f.Value.Set(strconv.Itoa(n)))
	t.Cleanup(func() { require.NoError(t, f.Value.Set(was)) })
}

// Law: whatever lies on the device, the plan right after an apply is empty.
func TestPlanAfterApplyIsEmpty(t *testing.T) {
	few(t, 10) // each applies twice, to a real shell
	rapid.Check(t, func(rt *rapid.T) {
		b := newBox(t, "leaf01")
		line := rapid.SampledFrom([]string{"colour = red", "colour = ", "size = 1", "", "# it's", "colour = green", "\x00\xff", "rocec-fail x", "OK"})
		var text strings.Builder
		for _, l := range rapid.SliceOfN(line, 0, 5).Draw(rt, "lines") {
			text.WriteString(l + rapid.SampledFrom([]string{"\n", "\n", ""}).Draw(rt, "end"))
		}
		b.write("/etc/app/conf", text.String())
		p := b.plan()
		if r := b.apply(p); r.Outcome != Applied && r.Outcome != Unchanged {
			rt.Fatalf("%s: %v", r.Outcome, r.Err)
		}
		if !b.plan().Empty() || len(b.left()) > 0 {
			rt.Fatal("not empty")
		}
	})
}

func FuzzParseAnswers(f *testing.F) {
	f.Add([]byte("m absent\n\nm end 0\nm file\nabc\n\nm end 0\nm OK\n"))
	f.Add([]byte("m query\n\nm end 256\nm OK\n"))
	f.Add([]byte("m file\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		answers, err := parseAnswers(out, "m")
		if err != nil {
			require.Nil(t, answers)
			return
		}
		var again bytes.Buffer
		for _, a := range answers {
			fmt.Fprintf(&again, "m %s\n%s\nm end %d\n", a.is, a.data, a.status)
		}
		again.WriteString("m OK\n")
		back, err := parseAnswers(again.Bytes(), "m")
		require.NoError(t, err)
		require.Equal(t, answers, back)
	})
}

func TestParseAnswersRefuses(t *testing.T) {
	for _, bad := range []string{
		"", "m OK", "x OK\n", "m file\nabc", "m file\nabc\nm end 0", "m file\nabc\nm end 0\n", "m file\nabc\nm end x\nm OK\n",
		"m file\nabc\nm end 0\nm OK\nm OK\n", "Welcome to leaf01\nm OK\n", "m\n",
	} {
		_, err := parseAnswers([]byte(bad), "m")
		require.Error(t, err, "%q", bad)
	}
}
