// Package forwarding reads what a device prints of its forwarding: the [Routes] of its table, and its interfaces with their addresses.
//
// The input is the JSON of `vtysh -c 'show ip route json'` (FRRouting) and of ip (iproute2). An answer counts only if every row is
// understood: an answer that is cut off has no routes.
package forwarding

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// MaxFile is the largest answer that is read, in bytes: some 10,000 routes of FRRouting, or 40,000 of the kernel.
const MaxFile = 8 << 20

// Names are the base names of answers. The answer itself shows the program and the family. An empty answer is of IPv6 if its name ends in
// 6.json.
var Names = []string{"route.json", "route6.json", "ip-route.json", "ip-route6.json", "addr.json"}

// addrName is the base name of an answer with interfaces. An empty list with another name is a table without routes.
const addrName = "addr.json"

// Answer is the content of a file.
type Answer struct {
	Routes     [families]*Routes // by family; nil: the file has no such table
	Interfaces Interfaces        // nil: the file states no interface
}

// Read reads the answer in a file. The error is a part of a sentence.
func Read(name string, data []byte) (*Answer, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(data) > MaxFile {
		return nil, errWhole
	}
	if bytes.IndexByte(data, '\\') < 0 {
		if out, err := read(name, &scanner{data: data}, true); err == nil {
			return out, nil
		}
	}
	return read(name, &decoder{json.NewDecoder(bytes.NewReader(data))}, false)
}

// read reads the documents of an answer. With remember, rows that are equal but for their prefix are decoded once.
func read(name string, in documents, remember bool) (*Answer, error) {
	r := &reader{
		in: in, out: &Answer{}, remember: remember, six: strings.HasSuffix(name, "6.json"), addr: strings.HasSuffix(name, addrName),
	}
	for n := 0; ; n++ {
		begin, err := in.begin()
		switch {
		case errors.Is(err, io.EOF) && n > 0 && r.out.Interfaces != nil && len(r.out.Interfaces) == 0:
			return nil, errNone
		case errors.Is(err, io.EOF) && n > 0:
			return r.out, nil
		case err != nil:
			return nil, errWhole
		}
		switch begin {
		case '{':
			err = r.frr(n)
		case '[':
			err = r.ip(n)
		default:
			err = errKnown
		}
		if err != nil {
			return nil, err
		}
	}
}

// reader reads the documents of one answer.
type reader struct {
	in       documents
	out      *Answer
	remember bool
	six      bool // the file name is one of an IPv6 answer
	addr     bool // the file name is one of an answer with interfaces
}

// put adds a table to the answer. A document without prefixes is of IPv6 if it is the second in its file.
func (r *reader) put(t *table, n int) error {
	family := IPv4
	if r.six || n == 1 {
		family = IPv6
	}
	for i, route := range t.List {
		if i == 0 {
			family = FamilyOf(route.To.Addr())
		}
		if FamilyOf(route.To.Addr()) != family {
			return errKnown
		}
	}
	if r.out.Routes[family] != nil {
		return errKnown
	}
	r.out.Routes[family] = &t.Routes
	return nil
}
