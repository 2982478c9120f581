package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// forms are what build --as writes.
var forms = []string{formOverlay, formAnsible, formNetBox, formHandover}

// The forms.
const (
	formOverlay  = "overlay"
	formAnsible  = "ansible"
	formNetBox   = "netbox"
	formHandover = "handover"
)

// formFile is a file of a form.
type formFile struct {
	name string
	data []byte
}

// buildAs writes a form of the devices of a tree below root. A file there that looks like one of the form and is none of it would be taken
// for one by whoever reads the folder, so nothing is written then.
func (a *app) buildAs(f *ir.Fabric, tree *target.Tree, root *os.Root, o buildOptions) error {
	var files []formFile
	var patterns []string
	var hosts, switches []*likeDevices
	switch o.as {
	case formHandover:
		patterns = []string{"*.md"}
		hosts, files = handoverFiles(f, tree)
	case formNetBox:
		patterns = []string{"*.json"}
		switches = groupAlike(tree, othersSwitch)
		files = netboxFiles(switches)
	case formAnsible:
		patterns = []string{"group_vars/" + ansibleGroup + "*", "host_vars/*"}
		hosts, switches = groupAlike(tree, isHost), groupAlike(tree, othersSwitch)
		files = ansibleFiles(hosts, switches)
	default:
		patterns = []string{"*.tar"}
		hosts = groupAlike(tree, isHost)
		files = overlayFiles(hosts)
	}
	counted := counted(hosts, switches)
	if counted == "" {
		return exit.Fail(exit.Errors, "There is no %s among these devices that the form %s is for.", formFor[o.as], o.as)
	}
	mine := map[string]bool{}
	for _, f := range files {
		mine[f.name] = true
	}
	var there []string
	for _, pattern := range patterns {
		found, err := fs.Glob(root.FS(), pattern)
		if err != nil {
			return exit.Fail(exit.Errors, "%v", err)
		}
		there = append(there, found...)
	}
	if i := slices.IndexFunc(there, func(name string) bool { return !mine[name] }); i >= 0 {
		return exit.Fail(exit.Errors, "%s holds %s, which this build does not write, and would be taken for a part of it; empty the "+
			"folder first, or write to a new one", diag.Escape(o.out), diag.Escape(there[i]))
	}
	written := 0
	for _, f := range files {
		changed, err := writeBelow(root, f.name, 0o644, f.data)
		if err != nil {
			return exit.Fail(exit.Errors, "%v", err)
		}
		if changed {
			written++
		}
	}
	if !a.quiet {
		fmt.Fprintf(a.stdout, "%s: %s, %s written, %d unchanged\n", diag.Escape(o.out), counted,
			diag.Count(written, "file"), len(files)-written)
	}
	return nil
}

// formFor is what a form is for.
var formFor = map[string]string{
	formOverlay:  "host",
	formAnsible:  "host, and no switch that others write,",
	formNetBox:   "switch that others write",
	formHandover: "host",
}

func isHost(d *target.Device) bool { return d.Role == target.Host }

// othersSwitch reports whether others write a switch: the forms leave the rest of them to rocec.
func othersSwitch(d *target.Device) bool { return d.Role == target.Switch && d.Source.ByOthers }

// counted says how many devices groups have; empty: none.
func counted(hosts, switches []*likeDevices) string {
	var parts []string
	for _, of := range []struct {
		groups []*likeDevices
		noun   string
	}{{hosts, "host"}, {switches, "switch"}} {
		n := 0
		for _, g := range of.groups {
			n += len(g.devices)
		}
		if n > 0 {
			parts = append(parts, diag.Count(n, of.noun))
		}
	}
	return diag.And(parts)
}

// likeDevices is devices that hold the same files and links.
type likeDevices struct {
	name    string // for files and folders
	devices []*target.Device
	files   []heldFile // in order of paths
}

// heldFile is what lies at a path: a file, or a link.
type heldFile struct {
	path string
	mode fs.FileMode
	data []byte
	to   string // of a link
}

// first is a device that stands for all.
func (g *likeDevices) first() *target.Device { return g.devices[0] }

// names of the devices.
func (g *likeDevices) names() []string {
	out := make([]string, len(g.devices))
	for i, d := range g.devices {
		out[i] = d.Name
	}
	return out
}

// groupAlike groups some devices of a tree by the files they are to hold, in the order of the first of each group.
func groupAlike(tree *target.Tree, is func(*target.Device) bool) []*likeDevices {
	var groups []*likeDevices
	at := map[string]*likeDevices{}
	for _, d := range tree.Devices {
		if !is(d) {
			continue
		}
		files := heldFiles(d)
		h := sha256.New()
		for _, f := range files {
			fmt.Fprintf(h, "%q %o %q %d\n", f.path, f.mode, f.to, len(f.data))
			h.Write(f.data)
		}
		key := string(h.Sum(nil))
		g := at[key]
		if g == nil {
			g = &likeDevices{files: files}
			at[key] = g
			groups = append(groups, g)
		}
		g.devices = append(g.devices, d)
	}
	for _, g := range groups {
		g.name, _ = folderName(g.names())
	}
	return groups
}

// heldFiles are the files of a device and the links that enable them, in order of paths.
func heldFiles(d *target.Device) []heldFile {
	var out []heldFile
	for f := range written(d) {
		out = append(out, heldFile{path: f.Path, mode: f.Mode, data: render(d, f)})
	}
	if d.Target.Enable != nil {
		for _, l := range d.Target.Enable(d.Source) {
			out = append(out, heldFile{path: l.Path, mode: 0o777, to: l.To})
		}
	}
	slices.SortFunc(out, func(a, b heldFile) int { return strings.Compare(a.path, b.path) })
	return out
}

// indented is a document of JSON as a file.
func indented(doc any) []byte {
	var b bytes.Buffer
	if err := diag.WriteJSON(&b, doc, true); err != nil {
		panic(err) // into memory, of types that can be written
	}
	return b.Bytes()
}
