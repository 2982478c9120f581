package main

import (
	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
)

// loadDeviceFiles judges files of devices instead of a fabric: one file, or every known one below a folder.
func (a *app) loadDeviceFiles(name string) (*report.Report, error) {
	read, err := devicefiles.Read(name)
	if err != nil {
		return nil, err
	}
	r := targets.JudgeFiles(read.Files)
	globals.Hide(r.Diagnostics, read.Hidden)
	found := &judge.Judged{Source: &lang.Source{Files: map[string][]byte{}}, Diags: r.Diagnostics}
	f := &report.Report{Judged: found, Dir: read.Dir, Hidden: read.Hidden, PassedOver: read.Passed}
	for i, file := range read.Files {
		if _, is := read.Hidden[file.Name]; !is {
			f.Source.Files[file.Name] = file.Data
		}
		f.Files = append(f.Files, report.DeviceFile{Name: file.Name, Taken: r.Files[i], Rules: targets.RulesOf(file)})
	}
	return f, nil
}
