package report

import (
	"fmt"

	"github.com/rocec/rocec/lang/diag"
)

// Hide removes the text of files from messages. A message with a place in one of them keeps its code and its places. A fixed sentence
// replaces its text, which may quote the file.
func Hide(ds diag.List, files map[string][]byte) {
	for _, d := range ds {
		name := d.At.Filename
		_, hidden := files[name]
		for _, n := range d.Notes {
			if _, is := files[n.At.Filename]; is && !hidden {
				name, hidden = n.At.Filename, true
			}
		}
		if !hidden {
			continue
		}
		d.Detail = fmt.Sprintf("%q is a symbolic link that leads out of its folder, so messages hide its text. Name the file that it leads to, "+
			"and the whole message is shown.", diag.Cut(name))
		d.Text, d.Fix, d.Loop = "", nil, nil
		var places []diag.Note
		for _, n := range d.Notes {
			if n.At.Filename != "" {
				places = append(places, diag.Note{Message: "see here", At: n.At})
			}
		}
		d.Notes = places
	}
}
