package collect

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/snapshot"
	"github.com/rocec/rocec/targets/target/lint"
)

// Script returns all questions as one script, for devices to which rocec may not log in. It writes a folder that collect can read.
func Script() string {
	var out strings.Builder
	out.WriteString(`#!/bin/sh
# What rocec collect asks a device. Every command reads. The script writes one folder, called like the device, and changes nothing
# else. It asks for all systems: commands and files that a device does not have are left out.
#
# Run it on each device, as root. The folder holds whole configurations, with their secrets: rocec drops those when you bring the
# folders back:  rocec collect FOLDER... -o site.tar.gz
umask 077
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
d=$(hostname) && mkdir "$d" || exit 1
ask() {
	sh >"$d/$1" 2>/dev/null && test -s "$d/$1" || rm -f "$d/$1"
}
`)
	for _, q := range targets.Questions() {
		fmt.Fprintf(&out, "\n# %s (%s)\nask %s <<'END'\n%s\nEND\n", q.Says, strings.Join(q.To, ", "), q.File, strings.TrimSpace(q.Cmd))
	}
	out.WriteString("\nls -l \"$d\"\n")
	return out.String()
}

// Failed returns lines about devices that could not be asked, and about missing answers. Devices with the same reason share a line.
func (c *Collection) Failed() (devices, answers []string) {
	names := report.Names{}
	for _, d := range c.Manifest.Devices {
		names[d.Name] = nodeset.Devices
		if d.Failed != "" {
			devices = append(devices, d.Name+": "+d.Failed)
		}
		for _, a := range d.Answers {
			if a.Failed != "" {
				answers = append(answers, fmt.Sprintf("%s of %s is missing: %s", path.Base(a.File), d.Name, a.Failed))
			}
		}
	}
	lines := func(texts []string) (out []string) {
		for _, one := range names.Fold(texts) {
			out = append(out, diag.Escape(one.Text))
		}
		return out
	}
	return lines(devices), lines(answers)
}

// unset returns the devices that have answered, but whose files contain no configuration.
func unset(c *Collection) (names []string) {
	var files []lint.File
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		files = append(files, lint.File{Name: name, Data: c.files[name]})
	}
	read := map[string]bool{} // files
	for _, d := range targets.SurveyFiles(files).Devices {
		for _, name := range d.Files {
			read[name] = read[name] || d.Read != nil
		}
	}
	for _, d := range c.Manifest.Devices {
		if d.Failed == "" && !slices.ContainsFunc(d.Answers, func(a snapshot.Answer) bool { return read[a.File] }) {
			names = append(names, d.Name)
		}
	}
	return names
}

// Empty reports whether no file is in the collection.
func (c *Collection) Empty() bool { return len(c.files) == 0 }

// Summary returns the size of the collection, as a part of a sentence.
func (c *Collection) Summary() string {
	devices, rows := 0, 0
	for _, d := range c.Manifest.Devices {
		if len(d.Answers) > 0 && d.Failed == "" {
			devices++
		}
		for _, a := range d.Answers {
			rows += a.Dropped
		}
	}
	s := fmt.Sprintf("%s of %s", diag.Count(len(c.files), "file"), diag.Count(devices, "device"))
	if rows > 0 {
		s += fmt.Sprintf(", without %s that rocec does not read,", diag.Count(rows, "part"))
	}
	return s
}
