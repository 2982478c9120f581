package collect

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
)

// Script returns all questions as one script, for devices to which rocec may not log in. The script writes a folder that collect takes.
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

// Failed has a line for each device that could not be asked, and one for each answer that a device did not give.
func (c *Collection) Failed() (devices, answers []string) {
	for _, d := range c.Manifest.Devices {
		if d.Failed != "" {
			devices = append(devices, diag.Escape(d.Name+": "+d.Failed))
		}
		for _, a := range d.Answers {
			if a.Failed != "" {
				answers = append(answers, diag.Escape(a.File+" is missing: "+a.Failed))
			}
		}
	}
	return devices, answers
}

// Empty reports whether no file is in the collection.
func (c *Collection) Empty() bool { return len(c.files) == 0 }

// Summary returns how much the collection has, as a part of a sentence.
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
