package devicefiles

import (
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
)

// Judge judges the files, and compares them with the fabric if the report has one.
func (read *Found) Judge(beside *report.Report) *report.Report {
	if beside.Fabric == nil {
		return read.reported(beside, targets.JudgeFiles(read.Files))
	}
	return read.reported(beside, targets.JudgeFilesOf(beside.Fabric, read.Files))
}

// JudgeMade judges the files against a fabric that was derived from them.
func (read *Found) JudgeMade(beside *report.Report, made *targets.Made) *report.Report {
	if beside.Fabric == nil {
		return read.Judge(beside)
	}
	return read.reported(beside, targets.JudgeFilesMade(beside.Fabric, made, read.Files))
}

// Compare judges the files against a fabric, and compares each device with it.
func (read *Found) Compare(beside *report.Report) (*report.Report, []*targets.Compared) {
	r, compared := targets.CompareFiles(beside.Fabric, read.Files)
	return read.reported(beside, r), compared
}

// reported returns the judgement of the files as a report.
func (read *Found) reported(beside *report.Report, r lint.Result) *report.Report {
	f := report.OfFiles(read.Dir, read.Files, read.Hidden, r)
	f.PassedOver = read.Passed
	source := *beside.Source
	source.Files = f.Source.Files
	for name, data := range beside.Source.Files {
		if _, is := source.Files[name]; !is {
			source.Files[name] = data
		}
	}
	f.Source = &source
	return f
}
