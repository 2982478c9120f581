package forwarding

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Keep returns an answer with only the rows and members that [Read] reads, one row per line, in the form of the same program. The error,
// part of a sentence, is the reason why nothing is kept.
func Keep(name string, data []byte) ([]byte, error) {
	if _, err := Read(name, data); err != nil {
		return nil, err
	}
	k := &keeper{in: json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))}
	for {
		token, err := k.in.Token()
		switch {
		case errors.Is(err, io.EOF):
			return k.out.Bytes(), nil
		case err != nil:
			return nil, errWhole
		}
		if err := k.document(token == json.Delim('{')); err != nil {
			return nil, err
		}
	}
}

// keeper rewrites an answer.
type keeper struct {
	in    *json.Decoder
	out   bytes.Buffer
	first bool // no row of the document is written
}

// row appends a row to its document.
func (k *keeper) row(text []byte) {
	if !k.first {
		k.out.WriteByte(',')
	}
	k.out.WriteByte('\n')
	k.out.Write(text)
	k.first = false
}

// document writes an object of FRRouting, or a list of iproute2.
func (k *keeper) document(object bool) error {
	begin, end := byte('['), "\n]\n"
	if object {
		begin, end = '{', "\n}\n"
	}
	k.out.WriteByte(begin)
	k.first = true
	for k.in.More() {
		var text []byte
		var err error
		if object {
			text, err = k.prefix()
		} else {
			var row ipRow
			if err = k.in.Decode(&row); err == nil && (row.To != nil || row.Name != "") {
				text, err = json.Marshal(row)
			}
		}
		if err != nil {
			return errWhole
		}
		if text != nil {
			k.row(text)
		}
	}
	if _, err := k.in.Token(); err != nil {
		return errWhole
	}
	k.out.WriteString(end)
	return nil
}

// prefix returns the selected routes of the next prefix; nil: none is selected.
func (k *keeper) prefix() ([]byte, error) {
	key, err := k.in.Token()
	if err != nil {
		return nil, err
	}
	var routes, kept []frrRoute
	if err := k.in.Decode(&routes); err != nil {
		return nil, err
	}
	for _, route := range routes {
		if route.Selected {
			kept = append(kept, route)
		}
	}
	if kept == nil {
		return nil, nil
	}
	name, err := json.Marshal(key)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(kept)
	return append(append(name, ": "...), text...), err
}
