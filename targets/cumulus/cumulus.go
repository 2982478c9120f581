// Package cumulus spells the lossless settings of a switch in the files of Cumulus Linux. They are in /etc/cumulus/datapath/traffic.conf
// from 3.1.1 to 4.3, and in qos_features.conf and qos_infra.conf from 4.4 on ([infraFile]).
//
// The input is one compiled switch. The output is one file or two: a function from the present content to the wanted content. First [lower]
// determines the trusted fields, the cos of every PCP and DSCP value, and the ports that share buffer sizes. Then rocec spells the settings
// in the dialect of the release, corrected by the file on the switch ([grammar.Spelling]). Then [edit] puts them into that file line by
// line.
//
// Laws:
//
//   - The classification map is complete, so the map of the factory (PCP 3 goes to cos 4 on all these releases) never decides.
//   - Traffic that no cos group claims never gets a lossless cos.
//   - Every key of a PFC port group is written.
//   - A port is in at most one port group of a feature.
//   - Every line that is not rocec's keeps every byte.
//
// rocec owns these keys of traffic.conf: the trust and remark keys, the map, the three priority groups with their weights and the
// scheduling algorithm, and the lists of PFC and ECN port groups. It owns the keys of the port groups that it named (roce_pfc, roce_ecn,
// roce_pause, and the same with a number; roce_trust).
//
// A port group of others stays in force for ports that are not in the fabric. rocec removes the fabric's ports from its port_set. It
// removes the group from the list where no port is left, or where the set cannot be split. Shares of queues for all ports
// (default_egress_sched, 4.3) become comments, since the manuals do not state whether they or the weights count. A switch that trusts both
// header fields keeps this setting if both fields give packets of intents the same cos. [writersWatch] finds and names other writers of the
// file.
//
// On Spectrum up to 4.3 the split of the chip's memory into a lossy and a lossless pool is in another file, datapath.conf. The manuals up
// to 3.5 turn PFC on without this file. From 3.7 on the vendor's RoCE preset splits the memory in halves. rocec reads and judges it
// ([watches]), and edits it only where the switch block has memory = "written" ([memoryEdited]). A traffic.conf that `rocec build` writes
// from nothing contains a comment about the split. From 4.4 on the manuals require the split before PFC, so rocec always writes it.
package cumulus

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/conflint"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/cumulus/steps"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// Path is the path of the classification file up to 4.3.
const Path = steps.TrafficPath

const fileMode fs.FileMode = 0o644

// Target writes the files of switches that run Cumulus Linux and are not configured by NVUE.
var Target = &target.Target{
	Name: "cumulus",
	Doc: "writes " + Path + " for switches that run Cumulus Linux 3.1.1 to 4.3, and " + featuresPath + " and " + infraPath +
		" for later ones that are configured by files",
	Topics:     topics,
	OS:         OS,
	Files:      conflint.Linter,
	Understand: Understand,
	Asks: []target.Question{ // for switches with NVUE, too, which writes the same files
		{File: "traffic.conf", Cmd: "cat " + Path, Says: "classes, PFC, ECN and headroom, up to 4.3"},
		{File: steps.MemoryFile, Cmd: steps.AskMemory, Says: "shared memory, up to 4.3"},
		{File: "qos_features.conf", Cmd: "cat " + grammar.FeaturesPath, Says: "classes, PFC and ECN, from 4.4 on"},
		{File: "qos_infra.conf", Cmd: "cat " + grammar.InfraPath, Says: "shared memory and bandwidth, from 4.4 on"},
		{File: "os-release", Cmd: "cat /etc/os-release", Says: "the release"},
	},
	ReleaseFile: "os-release",
	Stated:      grammar.Stated,

	Beside:     []string{"qos_infra.conf.rocec-edit"}, // rocec build writes this sketch of a file that rocec only edits
	Paths:      steps.Paths,
	Trees:      []string{"/etc/cumulus/", "/etc/mlx/", "/etc/bcm.d/", "/usr/lib/"},
	Serves:     servesFiles,
	Check:      check,
	Render:     render,
	Read:       read,
	Rounds:     rounds,
	Transition: both,
	About:      about,
	Identity:   identity,
	Probes:     probes,
	Counters:   PauseCounters,
	Watches:    watches,
	Whose:      func(code string) bool { return code == topicWriter.Code || code == topicBeside.Code },
	Inspect:    Inspect,
	Image:      image,
	User:       OS.User,
	Recall:     recall,

	NeedsReport: func(d *ir.Device) bool { return isSplit(d.Switch.Version) },
	Claims:      openClaims,
}

func about(d *ir.Device) string {
	return "Cumulus Linux " + d.Switch.Version + ", " + d.Switch.Model.ASIC.Title
}

// render returns the files of a switch: the classification file, and the memory file where rocec writes it. It computes the settings only
// when a file is first read, so that rendering thousands of switches is cheap.
func render(d *ir.Device) ([]target.File, diag.List) {
	ds := check(d)
	rel, doc, ok := documented(d.Switch.Version)
	if !ok || len(d.Fabric.CosGroups) == 0 {
		return nil, ds
	}
	settings := sync.OnceValue(func() *settings { return lower(d, doc) })
	why := sync.OnceValue(func() map[string][]ir.Origin { return origins(settings(), doc) })
	f := target.File{
		Path: confPath(rel),
		Mode: fileMode,
		Edit: func(old []byte) ([]byte, diag.List) {
			out, err := edit(old, doc, settings())
			if err != nil {
				var ds diag.List
				topicFile.Errorf(&ds, d.At, "%s on %s cannot be edited: %s.", confPath(rel), d.Name, err).
					Note(diag.Range{}, "Fix the file on the switch, or move it away: rocec then writes a new file, without settings of others.")
				return nil, ds
			}
			return out, nil
		},
		Keys:     func(content []byte) []target.Key { return keys(content, doc, settings()) },
		Why:      func(key string) []ir.Origin { return why()[key] },
		Activate: activate(rel, d.Switch.Model.ASIC),
		InUse:    target.NotReadable,
	}
	f.Lint = linter(f.Path, f.Edit, settings)
	if split(rel) {
		f.Precheck, f.PrecheckName = steps.Features.Cmd, steps.Features.Name
		f.Choose = sayChecker
		return []target.File{infraFile(d, rel), f}, ds
	}
	if rel.AtLeast(4, 0) {
		f.Precheck, f.PrecheckName = steps.Traffic.Cmd, steps.Traffic.Name
		f.Choose = chooser(rel, d.Switch.Model.ASIC)
	}
	files := []target.File{f}
	if d.Switch.MemoryWritten && memoryWritable(d.Switch.Model.ASIC, d.Switch.Version) == "" {
		files = append(files, memoryEdited(d))
	}
	return files, ds
}

// linter judges the classification in a file. It leaves out findings that rocec's own file for the fabric also has: they follow from the
// fabric, which validate judges. A file without a key of any release belongs to another program.
//
// The keys of an unlisted port group are correct if all its ports are the fabric's. rocec has removed the group from the list. It leaves
// the keys in the file, where they have no effect.
func linter(path string, edit func([]byte) ([]byte, diag.List), s func() *settings) func([]byte) (diag.List, string) {
	judge := func(content []byte) diag.List {
		return conflint.CheckOwn([]lint.File{{Name: path, Data: content}}).Diagnostics
	}
	key := func(d *diag.Diagnostic) string { return d.Code + " " + d.Detail }
	meant := sync.OnceValue(func() map[string]bool {
		whole, _ := edit(nil)
		m := map[string]bool{}
		for _, d := range judge(whole) {
			m[key(d)] = true
		}
		return m
	})
	return func(content []byte) (found diag.List, foreign string) {
		sets := slices.ContainsFunc(bytes.Split(content, []byte("\n")), says)
		for _, d := range judge(content) {
			switch {
			case d.Code == conflint.Unlisted && switchedOff(content, d.At, s().fabric):
			case d.Code != conflint.Foreign && !meant()[key(d)]:
				found = append(found, d)
			case d.Code == conflint.Foreign && sets:
				foreign = d.Detail
			}
		}
		return found, foreign
	}
}

// switchedOff reports whether the key at a place belongs to a port group that has no port outside the fabric. It returns false for a
// feature whose list rocec does not change.
func switchedOff(content []byte, at diag.Range, fabric []grammar.Port) bool {
	if at.Start.Byte < 0 || at.End.Byte > len(content) || at.Start.Byte > at.End.Byte {
		return false
	}
	k, _, group := grammar.Match(strings.Split(string(content[at.Start.Byte:at.End.Byte]), "."))
	if k == nil {
		return false
	}
	lines, _ := grammar.Parse(content)
	have := grammar.ValuesOf(lines)
	_, listed := have.Get(k.Feature(), grammar.Groups, -1, "")
	always := groupNames[k.Feature()] != "" && k.Feature() != grammar.Source
	if !always && !listed { // rocec does not change a missing list
		return false
	}
	set, stated := have.Get(k.Feature(), grammar.GroupPorts, -1, group)
	rest, ok := without(set, fabric)
	return stated && (!ok || rest == "")
}

// says reports whether a line is neither empty nor a comment.
func says(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 0 && line[0] != '#'
}
