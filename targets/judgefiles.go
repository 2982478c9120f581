package targets

import (
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// JudgeFiles judges configuration files of devices without a fabric, each by the linter of its system. The files of one device are read
// together: its folder and the name before their base names show whose they are. A file is good only where the reader of its system
// understands every row, too, by itself and beside the others. Rows count for the file that has them.
//
// A text that tools of a host printed is read, and not judged: no rule is about it yet. A file that is read only beside others has no
// verdict.
func JudgeFiles(files []lint.File) lint.Result {
	j := &judging{linters: Linters(), files: files, taken: make([]lint.Taken, len(files)), read: make([]reading, len(files))}
	var judged []lint.File
	var at []int
	for i, f := range files {
		switch row := besideOf(f.Name); {
		case j.takeHost(i):
		case row != nil && j.linters.Of(f) != row.Files && f.Why == "":
			j.takeBeside(i, row)
		default:
			judged, at = append(judged, f), append(at, i)
		}
	}
	r := j.linters.Check(judged)
	j.found = append(j.found, r.Diagnostics...)
	for k, i := range at {
		j.taken[i] = r.Files[k]
		if read := j.understand(files[i]); read.own != nil && files[i].Why == "" && r.Files[k].Dialect != "" {
			j.read[i] = read
		}
	}
	for _, d := range devicesOf(files) {
		j.device(d)
	}
	j.hosts()
	for i := range files {
		j.cover(i)
	}
	j.found.Sort()
	return lint.Result{Diagnostics: j.found, Files: j.taken}
}

// understand reads a file by the reader of the system whose linter takes it.
func (j *judging) understand(f lint.File) reading {
	one := j.linters.Of(f)
	for _, row := range All {
		if row.Files == one && row.Understand != nil && len(f.Data) <= one.Most {
			return reading{row: row, own: row.Understand(target.Identity{}, map[string][]byte{f.Name: f.Data})}
		}
	}
	return reading{}
}

// takeBeside reads a file that no linter judges.
func (j *judging) takeBeside(i int, row *target.Target) {
	f := j.files[i]
	if why := j.tooLarge(f); why != "" {
		j.taken[i].Why = why
		j.found = append(j.found, lint.NotJudged(f.Name, why, "It is not read."))
		return
	}
	j.read[i] = reading{row: row, own: row.Understand(target.Identity{}, map[string][]byte{f.Name: f.Data})}
	j.taken[i] = lint.Taken{Dialect: "a piece of a configuration", Beside: true}
}

// device reads the files of one device together. It names the moment of each, compares those of two moments, and calls none without RoCE
// where another one has it.
func (j *judging) device(d device) {
	roce := false
	for _, i := range d.files {
		j.taken[i].Device, j.taken[i].Moment = d.name, lint.Timeless
		if own := j.read[i].own; own != nil {
			owner, _ := ownerOf(j.files[i].Name)
			if j.taken[i].Moment = momentOf(own.Settings); namedRunning(owner) {
				j.taken[i].Moment = lint.Running
			}
			roce = roce || own.Settings.RoCE()
		}
	}
	for _, i := range d.files { // what one system generates for another runs
		row := j.read[i].row
		if row == nil || row.Generates == nil || j.read[i].own.Coverage.Part != "" {
			continue
		}
		for _, k := range d.files {
			if j.read[k].row == row.Generates {
				j.taken[k].Moment = lint.Running
			}
		}
	}
	var stored, running *target.Understood
	for _, row := range All {
		a := j.together(d, row, lint.Stored)
		b := j.together(d, row, lint.Running)
		if a != nil && (stored == nil || b != nil) { // of two systems, the one of which both are there
			stored = a
			if b != nil {
				running = b
			}
		}
		if running == nil {
			running = b
		}
		for _, u := range []*target.Understood{a, b} {
			roce = roce || u != nil && u.Settings.RoCE()
		}
	}
	if stored != nil && running != nil {
		top := j.files[d.files[0]]
		j.found = append(j.found, compareMoments(stored, running, top.Top())...)
	}
	for _, i := range d.files {
		j.taken[i].Plain = j.taken[i].Plain && !roce
	}
}

// together reads the files of a device and a system that are of one moment. Files without a moment are read with the stored ones, and the
// result is without them. The first file of a base name is read: others are of another time. The result is nil without
// such files.
func (j *judging) together(d device, row *target.Target, m lint.Moment) *target.Understood {
	pure, all, bases := map[string][]byte{}, map[string][]byte{}, map[string]bool{}
	var of []int
	for _, i := range d.files {
		_, base := ownerOf(j.files[i].Name)
		if j.read[i].row != row || j.read[i].own == nil || bases[base] {
			continue
		}
		if is := j.taken[i].Moment; is == m || is == lint.Timeless && m == lint.Stored {
			of, bases[base] = append(of, i), true
			if all[j.files[i].Name] = j.files[i].Data; is == m {
				pure[j.files[i].Name] = j.files[i].Data
			}
		}
	}
	if len(of) > 1 {
		beside := row.Understand(target.Identity{}, all)
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
	return row.Understand(target.Identity{}, pure)
}

// cover says of a file what its rows set, and reports those that are not understood.
func (j *judging) cover(i int) {
	own := j.read[i].own
	if own == nil || j.read[i].host {
		return
	}
	f, taken, c := j.files[i], &j.taken[i], &own.Coverage
	c.Not = append(c.Not, j.read[i].not...)
	dropFound(c, j.found)
	taken.Understood = parts(c)
	if why := notRead(c); why != "" && taken.Why == "" {
		taken.Why, taken.Plain, taken.Beside = why, false, false
		j.found = append(j.found, unread(f, c, why))
	}
}
