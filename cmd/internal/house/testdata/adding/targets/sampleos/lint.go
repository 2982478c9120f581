package sampleos

import (
	"bytes"
	"strings"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target/lint"
)

// configFile is the base name of the file that the target writes.
const configFile = "sample.conf"

var topicLossless = diag.Topic{
	Code:    "conf-sample",
	Summary: "a port of Sample OS has no lossless cos",
}

// linter judges files of Sample OS, which have a line for each port.
var linter = &lint.Linter{
	Names: []string{configFile},
	Takes: func(f lint.File) bool { return f.Why == "" && lint.Named(f.Name, configFile) },
	Most:  1 << 16,
	Check: judge,
	Rules: []diag.Topic{topicLossless},
}

// judge reports lines that name a port and no cos. An empty file is not judged.
func judge(files []lint.File) (r lint.Result) {
	for _, f := range files {
		taken := lint.Taken{Dialect: "sample.conf of Sample OS"}
		if len(bytes.TrimSpace(f.Data)) == 0 {
			taken.Why = lint.Empty
			r.Diagnostics = append(r.Diagnostics, lint.NotJudged(f.Name, taken.Why, "Copy it again."))
		}
		start := 0
		for i, line := range strings.SplitAfter(string(f.Data), "\n") {
			if text := strings.TrimSpace(line); strings.HasSuffix(text, " lossless") {
				at := f.Span(i+1, start, start, start+len(text))
				topicLossless.Warnf(&r.Diagnostics, at, "The line %q has no cos. Add the cos of the fabric.", text)
			}
			start += len(line)
		}
		r.Files = append(r.Files, taken)
	}
	return r
}
