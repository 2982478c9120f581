package targets

import (
	"cmp"
	"crypto/sha256"
	"maps"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic/tools"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate/settings"
)

// JudgeFiles judges configuration files of devices without a fabric, each by the linter of its system. The files of one device are read
// together: the folder and the name before the base names identify the device. A file is good only if the reader of its system also
// understands every row, both alone and with the other files. Rows count for the file that contains them.
//
// Output of a host's tools is read but not judged, because no rule exists for it yet. A file that is only read together with others has no
// verdict.
func JudgeFiles(files []lint.File) lint.Result { return judgeFiles(nil, files) }

// JudgeFilesOf judges configuration files of devices like [JudgeFiles], together with the fabric of the devices. The fabric adds values
// that files omit: the release, the model, and the speed and the length of each cable. It also defines the lossless classes and which ports
// are cabled to each other.
func JudgeFilesOf(f *ir.Fabric, files []lint.File) lint.Result { return judgeFiles(f, files) }

// JudgeFilesMade judges files like [JudgeFilesOf], with a fabric that was made from them. A guessed release does not apply to the files. A
// model or release that the fabric could not represent is no contradiction.
func JudgeFilesMade(f *ir.Fabric, made *Made, files []lint.File) lint.Result {
	j := &judging{fabric: f, made: made}
	return judgeAll(begin(j, files, devicesOf(files)))
}

// CompareFiles judges files like [JudgeFilesOf], and compares each device with the fabric. A different value is in the comparison instead
// of a note of the result. Devices set by hand are only judged.
func CompareFiles(f *ir.Fabric, files []lint.File) (lint.Result, []*Compared) {
	var all []*Compared
	j := newJudging(f, files, devicesOf(files))
	linted := maps.Clone(j.linted)
	j.compare = func(b *besideRead) { all = append(all, comparedOf(j, linted, b)...) }
	return judgeAll(j), all
}

func judgeFiles(f *ir.Fabric, files []lint.File) lint.Result {
	return judgeAll(newJudging(f, files, devicesOf(files)))
}

// judgeAll judges every device, and compares the devices with each other.
func judgeAll(j *judging) lint.Result {
	for i := range j.devices { // one after another: a reading needs many times the memory of its file
		d := &j.devices[i]
		j.device(d)
		for _, i := range d.files {
			j.read[i].own, j.read[i].not = nil, nil
		}
	}
	compareSwitches(j)
	j.reportHosts()
	reportFabric(j)
	j.found.Sort()
	return lint.Result{Diagnostics: j.found, Files: j.taken}
}

// newJudging runs the linters on files of devices, and finds the system of each file. f is nil without a fabric.
func newJudging(f *ir.Fabric, files []lint.File, devices []device) *judging {
	return begin(&judging{fabric: f}, files, devices)
}

// begin runs the linters on the files.
func begin(j *judging, files []lint.File, devices []device) *judging {
	j.linters, j.files, j.devices = Linters(), files, devices
	j.taken, j.read = make([]lint.Taken, len(files)), make([]reading, len(files))
	j.linted, j.ends, j.written = map[string]diag.List{}, map[*ir.Device]*settings.Reading{}, map[[sha256.Size]byte]*ir.Settings{}
	if j.fabric != nil {
		beside(j)
		files = j.files
	}
	var judged []lint.File
	var at []int
	same := sameFiles(j)
	for i, f := range files {
		switch row := besideOf(f.Name); {
		case same[i]:
			j.taken[i] = lint.Taken{Dialect: "the same in another form", Beside: true}
		case lldpOf(f) != nil:
			j.read[i].neighbours, j.taken[i] = lldpOf(f), lint.Taken{Dialect: "neighbours by LLDP", Beside: true}
		case IsLLDP(f.Name) && f.Why == "":
			j.taken[i] = lint.Taken{Why: notLLDP}
			j.found = append(j.found, lint.NotJudged(f.Name, notLLDP, "Collect the answer again; rocec has read no cable from this file."))
		case hostnameOf(f) != "":
			j.read[i].named, j.taken[i] = hostnameOf(f), lint.Taken{Dialect: "the name", Beside: true}
		case speedsOf(f) != nil:
			j.read[i].speeds, j.taken[i] = speedsOf(f), lint.Taken{Dialect: "speeds", Beside: true}
		case isCounters(f):
			j.read[i].counters, j.taken[i] = true, lint.Taken{Dialect: "counters", Beside: true}
		case releaseRow(f) != nil:
			j.read[i].states, j.taken[i] = releaseRow(f), lint.Taken{Dialect: "the release", Beside: true}
		case isFRR(f) && len(f.Data) > mostFRR:
			j.taken[i] = lint.Taken{Why: largeFRR}
			j.found = append(j.found, lint.NotJudged(f.Name, largeFRR, "Collect the answer again; rocec has read no routing from this file."))
		case isFRR(f):
			j.read[i].routes, j.taken[i] = true, lint.Taken{Dialect: "routing of FRR", Beside: true}
		case IsRouting(f.Name) && f.Why == "":
			readRouting(j, i)
		case isForwarding(f.Name) && f.Why == "":
			judgeForward(j, i)
		case j.isHost(f):
			j.read[i].host = true
		case isTable(j, f):
			reportTable(j, i)
		case row != nil && j.linters.Of(f) != row.Files && f.Why == "":
			j.read[i].row, j.taken[i] = row, lint.Taken{Dialect: "a piece of a configuration", Beside: true}
		default:
			judged, at = append(judged, f), append(at, i)
		}
	}
	r, known := lint.Result{}, false
	if j.made != nil {
		r, known = j.made.Checked.of(judged)
	}
	if !known {
		r = j.linters.Check(judged)
		j.checked = &Checked{judged, r}
	}
	j.found = append(j.found, r.Diagnostics...)
	knownBefore(j)
	for _, d := range r.Diagnostics {
		if d.Severity != diag.Notice {
			j.linted[d.At.Filename] = append(j.linted[d.At.Filename], d)
		}
	}
	for k, i := range at {
		if j.taken[i] = r.Files[k]; files[i].Why == "" && r.Files[k].Dialect != "" {
			j.read[i].row = j.rowOf(files[i])
		}
	}
	partForeign(j)
	return j
}

// own reads a single file.
func (j *judging) own(i int) {
	f, r := j.files[i], &j.read[i]
	switch why := j.tooLarge(f); {
	case r.host:
		r.own = tools.Understand(j.id, map[string][]byte{f.Name: f.Data})
	case r.row == nil:
	case why != "" && j.taken[i].Beside:
		j.taken[i] = lint.Taken{Why: why}
		j.found = append(j.found, lint.NotJudged(f.Name, why, "It is not read."))
		r.row = nil
	default:
		r.own = r.row.Understand(j.id, map[string][]byte{f.Name: f.Data})
	}
}

// device reads the files of one device together. It sets the moment of each, and compares files of two moments. No file is reported as
// without RoCE if another file of the device has RoCE. It returns the settings of both moments; nil: no file has settings.
func (j *judging) device(d *device) (stored, running *target.Understood) {
	roce, generated := false, map[*target.Target]bool{} // by another system with a whole configuration here
	j.id = identityOf(d.of)
	if d.of == nil {
		j.id.Release = stated(j, d)
	}
	for _, i := range d.files {
		j.own(i)
		j.taken[i].Device, j.taken[i].Moment, j.taken[i].Fabric = d.name, lint.Timeless, d.of != nil
		own := j.read[i].own
		if own == nil {
			continue
		}
		if j.taken[i].Moment = momentOf(own.Settings); saysRunning(j.files[i].Name) {
			j.taken[i].Moment = lint.Running
		}
		roce = roce || own.Settings.RoCE()
		if row := j.read[i].row; row != nil && row.Generates != nil && own.Coverage.Part == "" {
			generated[row.Generates] = true
		}
	}
	for _, i := range d.files {
		if row := j.read[i].row; row != nil && generated[row] {
			j.taken[i].Moment = lint.Running
		}
	}
	var of, runs *ir.OS // of either
	for _, row := range All {
		a := j.together(d, row, lint.Stored)
		b := j.together(d, row, lint.Running)
		if a != nil && (stored == nil || b != nil) { // of two systems, the one that has files of both moments
			stored, of = a, row.OS
			if b != nil {
				running, runs = b, row.OS
			}
		}
		if running == nil && b != nil {
			running, runs = b, row.OS
		}
		for _, u := range []*target.Understood{a, b} {
			roce = roce || u != nil && u.Settings.RoCE()
		}
	}
	if stored != nil && running != nil && of == runs {
		j.found = append(j.found, compareMoments(stored, running, topOf(j, d))...)
	}
	if j.fabric != nil {
		if of := cmp.Or(stored, running, timeless(j, d)); of != nil {
			besideFabric(j, d, of)
		}
		if stored != nil && running != nil && of == runs && d.of != nil {
			runsBeside(j, d, stored, running)
		}
	}
	for _, i := range d.files {
		if j.taken[i].Plain = j.taken[i].Plain && !roce; !j.read[i].host {
			j.cover(i)
		}
	}
	j.hostsOf(d)
	return stored, running
}

// stated returns the release that the files of a device state; empty: no file states it.
func stated(j *judging, d *device) string {
	for _, i := range d.files {
		if row := j.read[i].states; row != nil {
			if release := row.Stated(j.files[i].Data); release != "" {
				return release
			}
		}
	}
	return ""
}

// timeless reads the files of a device with an unknown moment, of the first system with such files; nil: not found.
func timeless(j *judging, d *device) *target.Understood {
	for _, row := range All {
		all := map[string][]byte{}
		var one *target.Understood
		for _, i := range d.files {
			if own := j.read[i].own; j.read[i].row == row && own != nil && j.taken[i].Moment == lint.Timeless {
				all[j.files[i].Name], one = j.files[i].Data, own
			}
		}
		switch {
		case len(all) == 1:
			return one
		case len(all) > 1:
			return row.Understand(j.id, all)
		}
	}
	return nil
}

// together reads the files of one moment, for a device and a system. Files without a moment are read together with the stored files, but
// are not part of the result. Only the first of several files with one base name is read: the others are from another time. A file whose
// name does not show its kind is skipped, too, if it contradicts a file that was read. The result is nil if there are no files of the
// moment.
func (j *judging) together(d *device, row *target.Target, m lint.Moment) *target.Understood {
	pure, all, bases := map[string][]byte{}, map[string][]byte{}, map[string]bool{}
	var of []int
	for _, i := range d.files {
		_, base := ownerOf(j.files[i].Name)
		if j.read[i].row != row || j.read[i].own == nil {
			continue
		}
		if is := j.taken[i].Moment; is == m || is == lint.Timeless && m == lint.Stored {
			if bases[base] && base != "" {
				passOver(&j.taken[i], "another file of its name was read for its device")
				continue
			}
			if other := contradicts(j, i, of, base); other != "" {
				passOver(&j.taken[i], "it states other values than "+other+", which was read for its device")
				continue
			}
			of, bases[base] = append(of, i), true
			if all[j.files[i].Name] = j.files[i].Data; is == m {
				pure[j.files[i].Name] = j.files[i].Data
			}
		}
	}
	if len(of) == 1 {
		rules(j, d, of, row, j.read[of[0]].own)
	}
	if len(of) > 1 {
		beside := row.Understand(j.id, all)
		rules(j, d, of, row, beside)
		for _, i := range of {
			j.addNot(i, beside.Coverage.Not)
		}
		if len(pure) == len(all) {
			return beside
		}
	}
	switch {
	case len(pure) == 0:
		return nil
	case len(of) == 1:
		return j.read[of[0]].own
	}
	return row.Understand(j.id, pure)
}

// passOver marks a file as not judged because another file of the same name was read for the device.
func passOver(t *lint.Taken, why string) {
	if t.Why == "" {
		t.Why, t.Part = why, true
	}
}

// contradicts returns the name of one of the files read for a device that states another value than the given file; empty: none does. Files
// with different known base names have different purposes, and are read in the order of their system.
func contradicts(j *judging, i int, of []int, base string) string {
	for _, k := range of {
		if _, has := ownerOf(j.files[k].Name); base != "" && has != "" {
			continue
		}
		a, b := j.read[k].own, j.read[i].own
		all, _ := a.Settings.Differences(b.Settings)
		if slices.ContainsFunc(all, func(d *ir.Difference) bool { return states(a, d) && states(b, d) }) {
			return j.files[k].Name
		}
	}
	return ""
}

// states reports whether a configuration has a place for a value that differs from another configuration.
func states(u *target.Understood, d *ir.Difference) bool {
	_, ok := placeOf(u, d)
	return ok
}

// cover records which settings the rows of a file state, and reports rows that are not understood.
func (j *judging) cover(i int) {
	own := j.read[i].own
	if own == nil {
		return
	}
	f, taken, c := j.files[i], &j.taken[i], &own.Coverage
	c.Not = append(c.Not, j.read[i].not...)
	if !j.shown {
		dropFound(c, j.linted[f.Name])
	}
	taken.Understood = parts(c)
	why := missedRows(c)
	switch {
	case why == "" && c.Part != "" && taken.Why == "": // its linter judges the whole file
		taken.Why, taken.Plain, taken.Beside = c.Part, false, false
		j.found = append(j.found, lint.NotJudged(f.Name, c.Part, "Values that it omits are unknown."))
	case why == "":
	case taken.Why == "":
		taken.Why, taken.Part, taken.Plain, taken.Beside = why, true, false, false
		j.found = append(j.found, unread(f, c, why))
	case taken.Part: // it is also only a part
		taken.Why += "; " + why
		j.found = append(j.found, unread(f, c, why))
	}
}
