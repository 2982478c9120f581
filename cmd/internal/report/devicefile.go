package report

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
)

// DeviceFile is a file of a device, with its detected kind and the rules for files of that kind.
type DeviceFile struct {
	Name string
	lint.Taken
	Rules []diag.Topic
}

// judged splits files into judged files, and files that were not judged, or only in part. Files that were only read together with others
// are in neither list.
func judged(files []DeviceFile) (judged, not []DeviceFile) {
	for _, f := range files {
		switch {
		case f.Beside:
		case f.Why == "":
			judged = append(judged, f)
		default:
			not = append(not, f)
		}
	}
	return judged, not
}

// beside lists the files that were only read together with others.
func beside(files []DeviceFile) (out []DeviceFile) {
	for _, f := range files {
		if f.Beside {
			out = append(out, f)
		}
	}
	return out
}

// rulesRun returns the codes of the rules that have judged files. Rules about moments need a device with files of two moments. Rules
// about several switches need files of two devices in a folder.
func rulesRun(files []DeviceFile) map[string]bool {
	ran, moments, devices := map[string]bool{}, map[string]lint.Moment{}, map[string]string{}
	add := func(rules []diag.Topic) {
		for _, t := range rules {
			ran[t.Code] = true
		}
	}
	judged, _ := judged(files)
	for _, f := range judged {
		add(f.Rules)
		folder := path.Dir(f.Device)
		if other, seen := devices[folder]; seen && other != f.Device {
			add(targets.SeveralRules())
		}
		devices[folder] = f.Device
		if f.Moment == lint.Timeless {
			continue
		}
		if m := moments[f.Device]; m != "" && m != f.Moment {
			add(targets.MomentRules())
		}
		moments[f.Device] = f.Moment
	}
	return ran
}

// The limits of the line about devices: a number of file names, and the bytes for names of devices.
const (
	mostBeside  = 4
	devicesRoom = 60
)

// devicesText names the devices of files if there are several. sound: no file has an error; then a line states the moments at which their
// settings apply.
func devicesText(w io.Writer, files []DeviceFile, sound bool) {
	if beside := beside(files); len(beside) > 0 {
		names := make([]string, len(beside))
		for i, f := range beside {
			names[i] = diag.Escape(f.Name)
		}
		fmt.Fprintf(w, "%s %s read with them, and no rule is about %s alone: %s\n", diag.Count(len(beside), "further file"),
			diag.Plural(len(beside), "was", "were"), diag.Plural(len(beside), "it", "them"), diag.Some(names, mostBeside))
	}
	devices := deviceNames(files)
	if len(devices) > 1 {
		fmt.Fprintf(w, "%s: %s\n", diag.Count(len(devices), "device"), nodeset.Text(devices, nodeset.Devices, devicesRoom))
	}
	if text := momentText(files, len(devices)); sound && text != "" {
		fmt.Fprintln(w, text)
	}
}

// deviceNames lists the devices of files by the last part of each name, or by the full names if two have the same last part.
func deviceNames(files []DeviceFile) (names []string) {
	known := map[string]bool{}
	for _, f := range files {
		if name := diag.Escape(f.Device); name != "" && !known[name] {
			known[name] = true
			names = append(names, name)
		}
	}
	short := make([]string, len(names))
	for i, name := range names {
		short[i] = path.Base(name)
	}
	slices.Sort(short)
	if len(slices.Compact(slices.Clone(short))) == len(names) {
		return short
	}
	return names
}

// momentText names the moments at which the settings of judged files apply, and the devices whose running settings were not read. It is
// empty if no moment is known.
func momentText(files []DeviceFile, devices int) string {
	judged, _ := judged(files)
	count, runs := map[lint.Moment]int{}, map[string]bool{}
	for _, f := range judged {
		count[f.Moment]++
		runs[f.Device] = runs[f.Device] || f.Moment == lint.Running
	}
	open := slices.DeleteFunc(slices.Clone(judged), func(f DeviceFile) bool { return f.Moment != lint.Stored || runs[f.Device] })
	var parts []string
	part := func(m lint.Moment, text string) {
		switch n := count[m]; n {
		case 0:
		case len(judged):
			parts = append(parts, "read "+text)
		default:
			parts = append(parts, fmt.Sprintf("%s read %s", diag.Count(n, "file"), text))
		}
	}
	part(lint.Running, "as it runs")
	part(lint.Stored, "as stored")
	who := diag.Plural(devices, "the switch has", "the switches have")
	switch names := deviceNames(open); {
	case len(names) == 0:
		return strings.Join(parts, ", ")
	case len(names) < devices:
		who = nodeset.Text(names, nodeset.Devices, devicesRoom) + " " + diag.Plural(len(names), "has", "have")
	}
	return fmt.Sprintf("%s; whether %s loaded %s is not known", strings.Join(parts, ", "), who, diag.Plural(len(open), "it", "them"))
}
