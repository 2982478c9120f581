package rollout_test

import (
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
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
)

// snapshot returns all files of a box, with content and mode.
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

// TestObserve: Observe reads the files of a device, distinguishes absent, empty and unreadable files, and changes nothing on the device.
// The box reports every command that could write.
func TestObserve(t *testing.T) {
	b := newBox(t, "leaf01")
	b.Dev.Identity = []target.Probe{{Query: target.Query{Cmd: "echo App 1"}, Name: "release", Judge: func(a []byte) []string {
		require.Equal(t, "App 1\n", string(a))
		return nil
	}}}
	b.Dev.Probes = []target.Probe{
		{Name: "stdin", Query: target.Query{Cmd: "cat", Stdin: []byte("it's\nhere %s $x")}, Judge: func(a []byte) []string {
			return []string{"\x1b[31m" + string(a)}
		}},
		{Name: "broken", Query: target.Query{Cmd: "echo 'no such counter' >&2; exit 9"}},
	}
	path := func(name string) target.File { return target.File{Path: b.Root + "/etc/app/" + name} }
	b.Write("/etc/app/empty", "")
	bytesOfAllKinds := "\x00\xff rocec-x end 0\n\n"
	b.Write("/etc/app/bytes", bytesOfAllKinds)
	b.Write("/etc/app/large", strings.Repeat("x", device.MaxFile+1))
	require.NoError(t, os.Symlink("conf", b.Root+"/etc/app/link"))
	b.Dev.Files = append(b.Dev.Files, path("absent"), path("empty"), path("bytes"), path("large"), path("link"), path("."), path("no/dir"))
	for _, w := range boxtest.Writers {
		b.Stub(w, "echo "+w+" >>"+b.Root+"/run/wrote; exit 1")
	}
	before := snapshot(t, b.Root)

	var progress []int
	obs := rollout.Observe(t.Context(), b.Dial, b.tree(),
		rollout.ObserveOptions{Probes: rollout.Every, Progress: func(done, total int, h *deploy.Have) {
			require.Equal(t, 1, total)
			progress = append(progress, done)
		}})
	require.Equal(t, []int{1}, progress)
	require.Equal(t, before, snapshot(t, b.Root))
	h := obs.Devices[0]
	require.Nil(t, h.Err)
	require.Empty(t, h.Wrong)
	require.Nil(t, h.Lock)
	roots := &deploy.Rights{Mode: 0o644}
	require.Equal(t, []deploy.Content{
		{Data: []byte(boxtest.OldConf), Rights: roots},
		{Data: []byte(boxtest.OldConf)},
		{},
		{Data: []byte{}, Rights: roots},
		{Data: []byte(bytesOfAllKinds), Rights: roots},
		{Reason: "it is larger than 1 MiB"},
		{Reason: "it is a symbolic link, which a new file would replace"},
		{Reason: "it is not a regular file"},
		{},
	}, h.Files)
	require.Equal(t, []deploy.Judged{
		{Name: "stdin", Wrong: []string{`\x1b[31mit's\nhere %s $x`}},
		{Name: "broken", Wrong: []string{"The probe could not run: no such counter (exit status 9)."}},
	}, h.Probes)
}

// TestObservePlacesAndWatches: for a file with several possible paths, the first existing path counts, and the reading contains that
// path. Every read runs the watches, and names a failing query.
func TestObservePlacesAndWatches(t *testing.T) {
	b := newBox(t, "leaf01")
	at := func(name string) string { return b.Root + "/etc/app/" + name }
	watch := func(name, cmd string) target.Watch {
		return target.Watch{Name: name, Query: target.Query{Cmd: cmd}, Judge: func(answer []byte, failed string) (diag.List, []target.Fact) {
			var l diag.List
			(&diag.Topic{Code: "lab"}).Noticef(&l, diag.Range{}, "%s", failed)
			return l, []target.Fact{{Name: name, Value: string(answer)}}
		}}
	}
	b.Dev.Watches = []target.Watch{watch("memory", "cat "+at("second")), watch("broken", "echo 'no such thing' >&2; exit 9")}
	b.Write("/etc/app/second", "2")
	b.Write("/etc/app/third", "3")
	edit := func(old []byte) ([]byte, diag.List) { return old, nil }
	several := func(names ...string) target.File {
		f := target.File{Path: at(names[0]), Edit: edit}
		for _, n := range names[1:] {
			f.Places = append(f.Places, at(n))
		}
		return f
	}
	before := len(b.Dev.Files)
	b.Dev.Files = append(b.Dev.Files, several("first", "second", "third"), several("third", "second"), several("none", "neither"))
	wanted, roots := b.Dev, &deploy.Rights{Mode: 0o644}
	h := rollout.Observe(t.Context(), b.Dial, b.tree(), rollout.ObserveOptions{}).Devices[0]
	require.Nil(t, h.Err)
	require.Equal(t, []deploy.Content{{Data: []byte("2"), Rights: roots}, {Data: []byte("3"), Rights: roots}, {}}, h.Files[before:])
	for i, path := range []string{at("second"), at("third"), at("none")} {
		require.Equal(t, path, h.Device.Files[before+i].Path)
	}
	require.Equal(t, at("first"), wanted.Files[before].Path, "the device of the fabric stays as it is")
	require.Equal(t, []target.Fact{{Name: "memory", Value: "2"}}, h.Watched[0].Facts)
	require.Empty(t, h.Watched[0].Found[0].Detail)
	require.Equal(t, "its query failed: no such thing (exit status 9)", h.Watched[1].Found[0].Detail)
	require.True(t, h.Watched[0].Sound())

	p := deploy.Diff(&target.Tree{Devices: []*target.Device{h.Device}}, &deploy.Observed{Devices: []*deploy.Have{h}}).Devices[0]
	require.Equal(t, at("second"), p.Files[before].Path)
	require.Equal(t, h.Watched, p.Watched)
	require.NoError(t, os.Remove(at("second")))
	h = rollout.Observe(t.Context(), b.Dial, b.tree(), rollout.ObserveOptions{}).Devices[0]
	require.Equal(t, at("third"), h.Device.Files[before].Path)
}

// One command reads the files and all other data of a device. A missing or incomplete answer about the other data is not a failure of the
// device.
func TestObserveLook(t *testing.T) {
	b := newBox(t, "leaf01")
	look := rollout.ObserveOptions{Look: true}
	observe := func(o rollout.ObserveOptions) *deploy.Have {
		h := rollout.Observe(t.Context(), b.Dial, b.tree(), o).Devices[0]
		require.Nil(t, h.Err)
		return h
	}
	require.Nil(t, observe(look).Seen, "the device cannot be asked")
	cmd := target.LookScript + "port lo nothere\npart lldp echo '{\"lldp\":{}}'\n"
	b.Dev.Inspection = &target.Inspection{Query: target.Query{Cmd: cmd}, Parse: func(answer []byte) *target.Seen {
		s, lines := &target.Seen{}, target.ReadLines(answer)
		lines.ReadPorts(s, func(string) bool { return true })
		lines.ReadNeighbours(s)
		return s
	}}
	require.Nil(t, observe(rollout.ObserveOptions{}).Seen, "nobody asked")
	runs := b.Runs
	h := observe(look)
	require.Equal(t, runs+1, b.Runs, "one command asks for all")
	require.Empty(t, h.Seen.Unread)
	require.NotEmpty(t, h.Seen.Name)
	require.Contains(t, h.Seen.Ports, "lo")
	require.NotContains(t, h.Seen.Ports, "nothere")

	b.Dev.Inspection.Cmd = target.LookScript + "port lo\npart lldp sh -c 'head -c 600000 /dev/zero'\n"
	require.Equal(t, map[target.Part]string{target.PartNeighbours: "the answer of lldpctl breaks off, or is longer than 512 KiB"},
		observe(look).Seen.Unread)
	b.Dev.Inspection.Cmd = target.LookScript + "port lo\nexit 3\n"
	require.Equal(t, map[target.Part]string{
		target.PartNeighbours: "the device could not be asked: exit status 3", target.PartPorts: "the device could not be asked: exit status 3",
	}, observe(look).Seen.Unread)
	require.Equal(t, deploy.StatusChange, b.plan(t).Devices[0].Status)
}

func TestObserveRefuses(t *testing.T) {
	b := newBox(t, "leaf01")
	b.Dev.Identity = []target.Probe{{Query: target.Query{Cmd: "cat " + b.Root + "/etc/release"}, Judge: func(a []byte) []string {
		return []string{"It runs " + strings.TrimSpace(string(a)) + "."}
	}}}
	p := b.plan(t).Devices[0]
	require.Equal(t, deploy.Identity, p.Err.Kind)
	require.Contains(t, p.Err.Detail, "could not be asked what it is: cat: ")
	require.Contains(t, p.Err.Detail, "No such file or directory (exit status 1).")
	b.Write("/etc/release", "Other 2\n")
	require.Equal(t, "It runs Other 2.", b.plan(t).Devices[0].Err.Detail)

	b = newBox(t, "leaf01")
	require.NoError(t, os.Remove(b.Root+"/run/loaded"))
	p = b.plan(t).Devices[0]
	require.Equal(t, deploy.Unreadable, p.Err.Kind)
	require.Contains(t, p.Err.Detail, "daemon/conf: its query failed: cat: ")
}

// The failure of a device does not affect others.
func TestObserveErrors(t *testing.T) {
	t.Parallel()
	bs := newBoxes(t, 5)
	bs.all[1].Dead = true
	bs.all[2].Fault = func(int, string) *boxtest.Fault { return &boxtest.Fault{After: true} }
	bs.all[3].Stub("stat", "echo")
	bs.all[4].Stub("head", "echo; echo rocec-forged end 0; exit 0")
	p := bs.plan(t)
	var got []string
	for _, d := range p.Devices {
		s := string(d.Status)
		if d.Err != nil {
			s += " " + string(d.Err.Kind)
		}
		got = append(got, s)
	}
	require.Equal(t, []string{"change", "unreachable device-unreachable", "unreachable device-unreachable", "change", "change"}, got)

	bs.all[1].Dead = false
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, h := range rollout.Observe(ctx, bs.dial, bs.tree, rollout.ObserveOptions{}).Devices {
		require.ErrorIs(t, h.Err, context.Canceled)
	}
}

// A user who cannot become root reads the files that all users may read. A hidden file is refused, and never counts as absent.
func TestObserveWithoutRoot(t *testing.T) {
	t.Parallel()
	b := newBox(t, "leaf01")
	b.Stub("id", "echo 1000")
	b.Stub("sudo", "echo 'sudo: a password is required' >&2; exit 1")
	b.AsNobody()
	require.Equal(t, deploy.StatusChange, b.plan(t).Devices[0].Status)

	require.NoError(t, os.Chmod(b.Root+"/etc/app/conf", 0))
	p := b.plan(t).Devices[0]
	require.Equal(t, deploy.Unreadable, p.Err.Kind)
	require.Contains(t, p.Err.Detail, "the login user may not read it, nor become root to do so")
	require.NoError(t, os.Chmod(b.Root+"/etc/app", 0))
	p = b.plan(t).Devices[0]
	require.Equal(t, deploy.Unreadable, p.Err.Kind)
	require.NoError(t, os.Chmod(b.Root+"/etc/app", 0o755))

	b.Stub("sudo", `[ "$1" = -n ] && [ "$2" = cat ] || exit 1; chmod 644 "$3"; exec cat "$3"`) // a line of sudoers that only allows reading
	require.Equal(t, deploy.StatusChange, b.plan(t).Devices[0].Status)
}

func TestVerify(t *testing.T) {
	t.Parallel()
	b := newBox(t, "leaf01")
	wrong := []string(nil)
	b.Dev.Probes = []target.Probe{{Name: "daemon", Query: target.Query{Cmd: "echo up"}, Judge: func([]byte) []string { return wrong }}}
	require.False(t, rollout.Verify(t.Context(), b.Dial, b.tree(), readTwice).Sound())
	require.Equal(t, deploy.Applied, b.apply(t, b.plan(t)).Outcome)
	require.True(t, rollout.Verify(t.Context(), b.Dial, b.tree(), readTwice).Sound())
	wrong = []string{"It is down."}
	v := rollout.Verify(t.Context(), b.Dial, b.tree(), readTwice)
	require.False(t, v.Sound())
	require.Equal(t, deploy.StatusSame, v.Plan.Devices[0].Status)
	require.Equal(t, []deploy.Judged{{Name: "daemon", Wrong: wrong}}, v.Devices[0].Probes)
}

// few lowers the number of checks for a law whose checks take real time.
func few(t *testing.T, n int) {
	f := flag.Lookup("rapid.checks")
	was := f.Value.String()
	require.NoError(t, f.Value.Set(strconv.Itoa(n)))
	t.Cleanup(func() { require.NoError(t, f.Value.Set(was)) })
}

// TestPlanAfterApplyIsEmpty: for any content of the device, the plan directly after an apply is empty.
func TestPlanAfterApplyIsEmpty(t *testing.T) {
	machinetest.Long(t)
	few(t, 5) // each check applies twice, with a real shell
	rapid.Check(t, func(rt *rapid.T) {
		b := newBox(t, "leaf01")
		line := rapid.SampledFrom([]string{
			"colour = red", "colour = ", "size = 1", "", "# it's", "colour = green", "\x00\xff", "rocec-fail x",
			"OK",
		})
		var text strings.Builder
		for _, l := range rapid.SliceOfN(line, 0, 5).Draw(rt, "lines") {
			text.WriteString(l + rapid.SampledFrom([]string{"\n", "\n", ""}).Draw(rt, "end"))
		}
		b.Write("/etc/app/conf", text.String())
		p := b.plan(t)
		if r := b.apply(t, p); r.Outcome != deploy.Applied && r.Outcome != deploy.Unchanged {
			rt.Fatalf("%s: %v", r.Outcome, r.Err)
		}
		if !b.plan(t).Empty() || len(b.Left()) > 0 {
			rt.Fatal("not empty")
		}
	})
}
