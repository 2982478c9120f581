package deploy

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy/internal/boxtest"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/target"
)

func TestDiff(t *testing.T) {
	conf := boxtest.ConfFile("/etc/app/conf", "green")
	conf.Activate.Disrupts = "a reload"
	whole := target.File{Path: "/usr/bin/app", Edit: func([]byte) ([]byte, diag.List) { return []byte("v2\n"), nil }}
	read := func(_ *ir.Device, content func(string) []byte) *ir.Settings {
		port := ir.PortSettings{PausesKnown: true}
		if bytes.Contains(content("/etc/app/conf"), []byte("red")) {
			port.Sends = 1 << 4
		}
		return &ir.Settings{Rest: &port}
	}
	d := &target.Device{Name: "leaf01", Target: &target.Target{Read: read}, Files: []target.File{conf, whole}}
	tree := &target.Tree{Devices: []*target.Device{d}}
	plan := func(files ...Content) *DevicePlan {
		return Diff(tree, &Observed{Devices: []*Have{{Device: d, Files: files}}}).Devices[0]
	}

	p := plan(Content{Data: []byte("size = 1\ncolour = red\n")}, Content{})
	require.Equal(t, StatusChange, p.Status)
	require.True(t, p.Removing)
	require.Equal(t, uint8(1<<4), p.Old.Port("swp1").Sends)
	require.Zero(t, p.New.Port("swp1").Sends)
	require.Equal(t, []string{"a reload"}, p.Disrupts)
	c := p.Changes[0]
	require.Equal(t, Update, c.Action)
	require.Equal(t, []KeyChange{{
		Key: "colour", Action: Update, Before: "red", After: "green",
		From: []target.Origin{{Why: "a test of colour"}},
	}}, c.Keys)
	require.Equal(t, 0, c.Unchanged)
	require.Equal(t, 1, c.NotOurs)
	require.Equal(t, "--- a/etc/app/conf\n+++ b/etc/app/conf\n@@ -1,2 +1,2 @@\n size = 1\n-colour = red\n+colour = green\n", c.Unified())
	require.Equal(t, Create, p.Changes[1].Action)
	require.Equal(t, Absent, p.Changes[1].Base)
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

	bad := Diff(tree, &Observed{Devices: []*Have{{Device: d, Wrong: []string{"It is not an App."}}}}).Devices[0]
	require.Equal(t, Identity, bad.Err.Kind)
	require.Equal(t, StatusRefused, bad.Status)
}

// TestDiffPending: a change that a run has loaded and that is not confirmed yet counts as in use. The files of a dead run may not be in
// use.
func TestDiffPending(t *testing.T) {
	d := &target.Device{Name: "leaf01", Files: []target.File{boxtest.ConfFile("/etc/app/conf", "green")}}
	h := &Have{Device: d, Files: []Content{{Data: []byte("colour = green\n")}}, Pending: []string{"/etc/app/conf"}}
	for mark, want := range map[txn.Mark]Status{txn.Armed: StatusChange, txn.Loaded: StatusSame} {
		h.Lock = &Owner{Txn: "txn-1", Mark: mark}
		require.Equal(t, want, diff(d, h).Status, mark)
	}
	h.Lock = nil
	require.Equal(t, Activate, diff(d, h).Changes[0].Action)
}

// A device without the daemon that loads the content is not changed.
func TestDiffNeeds(t *testing.T) {
	d := &target.Device{Name: "leaf01", Files: []target.File{boxtest.ConfFile("/etc/app/conf", "green")}}
	daemon, link := target.Gauge("daemon", "", false, "The daemon is dead."), target.Gauge("link", "swp1", false, "swp1 is down.")
	daemon.Needed = true
	have := func(colour string, samples ...target.Sample) *Have {
		return &Have{Device: d, Files: []Content{{Data: []byte("colour = " + colour + "\n")}}, Probes: []Judged{{Samples: samples}}}
	}
	p := diff(d, have("red", link, daemon))
	require.Equal(t, StatusRefused, p.Status)
	require.Equal(t, Unhealthy, p.Err.Kind)
	require.Equal(t, "The daemon is dead. Nothing can be put to use without it: start it first.", p.Err.Detail)
	require.Equal(t, StatusChange, diff(d, have("red", link)).Status)
	require.Equal(t, StatusSame, diff(d, have("green", daemon)).Status)
}

func TestFold(t *testing.T) {
	change := func(after string) []*Change {
		return []*Change{{
			FileState: FileState{Path: "/f", Base: "x" + after}, Action: Update,
			Keys: []KeyChange{{Key: "k", Before: "a", After: after}},
		}}
	}
	p := &Plan{}
	for i, after := range []string{"b", "c", "b", "b", "b", "b", "b"} {
		d := &DevicePlan{Status: StatusChange, Device: &target.Device{Name: fmt.Sprintf("d%02d", i+1)}, Changes: change(after)}
		switch i {
		case 3:
			d.Disrupts = []string{"a reload"}
		case 4, 5:
			d.Status, d.Changes = StatusSame, nil
		case 6:
			d.Changes[0].Keys = nil
		}
		p.Devices = append(p.Devices, d)
	}
	var got []string
	for _, g := range Fold(p) {
		var names []string
		for _, d := range g.Devices {
			names = append(names, d.Device.Name)
		}
		got = append(got, strings.Join(names, " "))
	}
	require.Equal(t, []string{"d01 d03", "d02", "d04", "d05 d06", "d07"}, got)
}

// TestEditWarns: the plan also prints the warnings of an edit for an unchanged file, and does not call such a device sound.
func TestEditWarns(t *testing.T) {
	conf := boxtest.ConfFile("/etc/app/conf", "green")
	edit := conf.Edit
	conf.Edit = func(content []byte) ([]byte, diag.List) {
		out, ds := edit(content)
		return out, append(ds, &diag.Diagnostic{Severity: diag.Warning, Code: "x-idle", Detail: "It is idle."},
			&diag.Diagnostic{Severity: diag.Notice, Code: "x-way", Detail: "By the way."})
	}
	d := &target.Device{Name: "leaf01", Files: []target.File{conf}}
	for content, status := range map[string]Status{"colour = red\n": StatusChange, "colour = green\n": StatusSame} {
		tree := &target.Tree{Devices: []*target.Device{d}}
		p := Diff(tree, &Observed{Devices: []*Have{{Device: d, Files: []Content{{Data: []byte(content)}}}}}).Devices[0]
		require.Equal(t, status, p.Status)
		require.Len(t, p.Watched, 1)
		require.False(t, p.Watched[0].Sound())
		require.Equal(t, "It is idle.", p.Watched[0].Found[0].Detail)
		require.Len(t, p.Diags, 1)
		require.Equal(t, "By the way.", p.Diags[0].Detail)
	}
}

// TestLint: the rules check a changed file before and after the change. If the file is not a configuration of the device, the device is
// refused. Other findings are printed with the change. The rules do not check an unchanged file.
func TestLint(t *testing.T) {
	conf := boxtest.ConfFile("/etc/app/conf", "green")
	conf.Lint = func(content []byte) (diag.List, string) {
		if bytes.Contains(content, []byte("<html>")) {
			return nil, "It is a page."
		}
		return diag.List{
			{Severity: diag.Warning, Code: "conf-x", Detail: "Size is odd."}, {Severity: diag.Notice, Code: "conf-y", Detail: "By the way."},
		}, ""
	}
	d := &target.Device{Name: "leaf01", Files: []target.File{conf}}
	plan := func(content string) *DevicePlan {
		tree := &target.Tree{Devices: []*target.Device{d}}
		return Diff(tree, &Observed{Devices: []*Have{{Device: d, Files: []Content{{Data: []byte(content)}}}}}).Devices[0]
	}
	p := plan("colour = red\n")
	require.Equal(t, StatusChange, p.Status)
	require.Len(t, p.Found, 1)
	require.Equal(t, "conf-x", p.Found[0].Code)
	require.Empty(t, plan("colour = green\n").Found)
	p = plan("<html>\ncolour = red\n")
	require.Equal(t, StatusRefused, p.Status)
	require.Equal(t, "/etc/app/conf is not a configuration of this device. It is a page.", p.Err.Detail)
	require.Empty(t, p.Changes)
}
