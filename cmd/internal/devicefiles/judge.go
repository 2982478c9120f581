package devicefiles

import (
	"maps"

	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/target/lint"
)

// Judge judges the files beside a fabric. Without a fabric in the report it judges them by themselves.
func (read *Found) Judge(beside *report.Report) *report.Report {
	if beside.Fabric == nil {
		return read.reported(beside, targets.JudgeFiles(read.Files))
	}
	return read.reported(beside, targets.JudgeFilesOf(beside.Fabric, read.Files))
}

// Compare judges the files beside a fabric, and compares each device with it.
func (read *Found) Compare(beside *report.Report) (*report.Report, []*targets.Compared) {
	r, compared := targets.CompareFiles(beside.Fabric, read.Files)
	return read.reported(beside, r), compared
}

// reported returns the judgement of the files as a report.
func (read *Found) reported(beside *report.Report, r lint.Result) *report.Report {
	source := *beside.Source
	source.Files = map[string][]byte{}
	maps.Copy(source.Files, beside.Source.Files)
	globals.Hide(r.Diagnostics, read.Hidden)
	f := &report.Report{
		Judged: &judge.Judged{Source: &source, Diags: r.Diagnostics}, Dir: read.Dir, Hidden: read.Hidden, PassedOver: read.Passed,
	}
	for i, file := range read.Files {
		if _, is := read.Hidden[file.Name]; !is {
			source.Files[file.Name] = file.Data
		}
		f.Files = append(f.Files, report.DeviceFile{Name: file.Name, Taken: r.Files[i], Rules: targets.RulesOf(file, r.Files[i])})
	}
	return f
}
