package lint_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target/lint"
)

// A linter knows its files by their base names, and copies that are named after a switch.
func TestKnows(t *testing.T) {
	l := &lint.Linter{Names: []string{"sample.conf"}, Also: []string{"boot.yaml"}}
	for name, is := range map[string]bool{
		"sample.conf": true, "a/leaf1.sample.conf": true, "leaf1_sample.conf": true, "leaf1-boot.yaml": true, "mysample.conf": false,
		"sample.patch.conf": false, "sample.conf.bak": false, "": false,
	} {
		assert.Equal(t, is, l.Knows(name), name)
	}
}

// Places count lines and columns from 1, and bytes from 0.
func TestPlaces(t *testing.T) {
	f := lint.File{Name: "a", Data: []byte(lint.ByteOrderMark + "x\nä = b\n")}
	assert.Equal(t, 1, f.Top().Start.Line)
	r := f.Span(2, 5, 10, 11)
	assert.Equal(t, []int{2, 5, 6, 10, 11}, []int{r.Start.Line, r.Start.Column, r.End.Column, r.Start.Byte, r.End.Byte})
	assert.Equal(t, "x\n", string(f.Head(5)))
	assert.Len(t, f.Head(100), len(f.Data)-len(lint.ByteOrderMark))
}

// Equal notes about several files appear once, with the number of files; errors and notes about one file stay.
func TestFold(t *testing.T) {
	topic := diag.Topic{Code: "conf-sample", Summary: "a sample"}
	var ds diag.List
	for _, name := range []string{"a", "b", "c"} {
		f := lint.File{Name: name}
		topic.Noticef(&ds, f.Top(), "The same.")
		topic.Errorf(&ds, f.Top(), "Wrong.")
	}
	got := lint.Fold(ds)
	require.Len(t, got, 4)
	assert.Equal(t, "The same holds in 2 further files.", got[0].Notes[0].Message)
	assert.Empty(t, got[1].Notes)
}

// Findings beyond the limit of their code are counted, for each file separately, and the last listed finding shows their number.
func TestFindings(t *testing.T) {
	topic, other := diag.Topic{Code: "conf-sample"}, diag.Topic{Code: "conf-other"}
	var whole lint.Findings
	for _, name := range []string{"a", "b"} {
		f, one := lint.File{Name: name}, lint.Findings{}
		for range 103 {
			one.Report(diag.Error, &topic, f.Top(), "Wrong.")
		}
		one.Report(diag.Warning, &other, f.Top(), "Odd.")
		assert.Len(t, one.List, 101)
		whole.Join(&one)
	}
	whole.Report(diag.Notice, &topic, diag.Range{}, "It is left out.")
	assert.True(t, whole.Omit(&topic))
	assert.False(t, whole.Omit(&other))
	got := whole.Close()
	require.Len(t, got, 202)
	var notes []string
	for _, d := range got {
		for _, n := range d.Notes {
			notes = append(notes, d.At.Filename+" "+d.Code+" "+n.Message)
		}
	}
	assert.Equal(t, []string{"b conf-sample 8 more of this code were left out."}, notes)
	assert.Equal(t, 2, got.Count(diag.Warning))
	assert.Empty(t, (&lint.Findings{}).Close())
}
