// Package order has the orders that rocec sends to the gate on a device (cmd/rocec-txn): the change of a run there, under the signature of
// a person.
//
// A person signs a [Statement] once for a run. The statement has the root of a tree of hashes; the leaves are the changes of all devices of
// the run. Each device gets its own [Change], the hashes from its leaf to the root, and the contents that the change names by SHA-256.
// No part of an order is a command: a change names steps, queries and checkers, and the gate makes their commands.
package order

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Paths on a device. The gate counts as installed where both files exist.
const (
	Gate    = "/usr/libexec/rocec-txn"
	Signers = "/etc/rocec/allowed_signers"
)

// Bounds.
const (
	MaxSize = 48 << 20           // bytes of an order
	MaxTime = 8 * 24 * time.Hour // from now until an order ends
	MostOf  = 4096               // files, steps or live states of a device
)

// Change is the part of a run on one device. All values come from the machine that leads the run; the gate checks each.
type Change struct {
	Run     string `json:"run"`
	Key     string `json:"key"` // of the run on this device
	Device  string `json:"device"`
	Machine string `json:"machine"`          // SHA-256 fingerprint of a host key of the device
	Remove  bool   `json:"remove,omitempty"` // take the gate away, and nothing else
	Digest  string `json:"digest,omitempty"` // of the run's part here; who goes on with the run must know it
	Note    string `json:"note,omitempty"`
	Need    int    `json:"need"`           // KiB of space
	Back    bool   `json:"back,omitempty"` // the run goes back from one that was kept
	Files   []File `json:"files"`
	Lives   []Live `json:"lives"`
	Steps   []Step `json:"steps"`
}

// File is a change of a file. Base and Target are a SHA-256, or "absent".
type File struct {
	Path     string `json:"path"`
	Base     string `json:"base"`
	Target   string `json:"target"`
	Mode     uint32 `json:"mode"`
	Replaces bool   `json:"replaces,omitempty"` // a new file comes in place, also if its content is the same
	Check    string `json:"check,omitempty"`    // name of the vendor's checker
}

// Live is a live state that is saved for the undo.
type Live struct {
	State string `json:"state"` // its name, a relative path
	Query string `json:"query"` // name of the query that reads it
}

// Step is a step, in the order of execution.
type Step struct {
	Name   string `json:"name"`
	Stdin  string `json:"stdin,omitempty"`  // SHA-256 of the data that the step gets; empty: none from outside
	Again  bool   `json:"again,omitempty"`  // after an undo a file exists again
	States []int  `json:"states,omitempty"` // the live states that show whether its undo is in use
}

// Absent is in the place of the SHA-256 of a missing file.
const Absent = "absent"

// Statement is the text that a person signs for a run.
type Statement struct {
	Run   string
	Until time.Time // no device prepares the run after it
	Root  string    // of the tree of changes
}

const heading = "rocec order 1"

// Text returns the signed bytes.
func (s *Statement) Text() []byte {
	return fmt.Appendf(nil, "%s\nrun %s\nuntil %s\nroot %s\n", heading, s.Run, s.Until.UTC().Format(time.RFC3339), s.Root)
}

// ParseStatement reads the text of a statement. It accepts only what Text returns.
func ParseStatement(text []byte) (*Statement, error) {
	lines := strings.Split(string(text), "\n")
	if len(lines) != 5 || lines[0] != heading {
		return nil, errors.New("it is no order of this form")
	}
	s := &Statement{Run: strings.TrimPrefix(lines[1], "run "), Root: strings.TrimPrefix(lines[3], "root ")}
	var err error
	if s.Until, err = time.Parse(time.RFC3339, strings.TrimPrefix(lines[2], "until ")); err != nil || !bytes.Equal(s.Text(), text) {
		return nil, errors.New("it is a damaged order")
	}
	return s, nil
}

// Envelope is the message to one device.
type Envelope struct {
	Statement []byte   `json:"statement"`
	Signature []byte   `json:"signature"`
	Path      []string `json:"path"`   // from the leaf to the root: the side and the hash of each neighbour, such as "L3f…"
	Change    []byte   `json:"change"` // JSON of a Change, which is the leaf
	Contents  [][]byte `json:"contents"`

	// Not signed, and bounded by the gate.
	Owner string `json:"owner"`
	About string `json:"about"` // the description of the run, for a machine that did not start it
	First int    `json:"first"` // seconds until the device undoes the change: from the beginning of the commit
	Later int    `json:"later"` // and from its end
}

// Bytes returns the message.
func (e *Envelope) Bytes() []byte { return encode(e) }

// Parse reads an envelope.
func Parse(data []byte) (*Envelope, error) {
	if len(data) > MaxSize {
		return nil, errors.New("the order is larger than 48 MiB")
	}
	e := &Envelope{}
	if err := decode(data, e); err != nil {
		return nil, fmt.Errorf("it is no order: %w", err)
	}
	return e, nil
}

// Leaf reads the change of the device, and checks that the statement covers it.
func (e *Envelope) Leaf(s *Statement) (*Change, error) {
	sum := leaf(e.Change)
	for _, step := range e.Path {
		if len(step) != 1+2*sha256.Size || len(e.Path) > 64 {
			return nil, errors.New("its path of hashes is damaged")
		}
		other, err := hex.DecodeString(step[1:])
		switch {
		case err != nil:
			return nil, errors.New("its path of hashes is damaged")
		case step[0] == 'L':
			sum = node(other, sum)
		default:
			sum = node(sum, other)
		}
	}
	if hex.EncodeToString(sum) != s.Root {
		return nil, errors.New("the signature does not cover this change")
	}
	c := &Change{}
	if err := decode(e.Change, c); err != nil {
		return nil, fmt.Errorf("its change is damaged: %w", err)
	}
	return c, nil
}

func encode(from any) []byte {
	text, err := json.Marshal(from)
	if err != nil {
		panic("rocec: " + err.Error()) // strings and numbers
	}
	return text
}

func decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return errors.New("there is data after its end")
	}
	return nil
}

// Tree is the tree of the changes of a run.
type Tree struct {
	leaves [][]byte // JSON of the changes
	levels [][][]byte
}

// NewTree returns the tree of changes. There is at least one.
func NewTree(changes []*Change) *Tree {
	t := &Tree{}
	var level [][]byte
	for _, c := range changes {
		text := encode(c)
		t.leaves, level = append(t.leaves, text), append(level, leaf(text))
	}
	for t.levels = [][][]byte{level}; len(level) > 1; t.levels = append(t.levels, level) {
		var above [][]byte
		for pair := range slices.Chunk(level, 2) {
			if len(pair) == 1 { // it moves up as it is
				above = append(above, pair[0])
				continue
			}
			above = append(above, node(pair[0], pair[1]))
		}
		level = above
	}
	return t
}

// Root returns the hash that covers all changes.
func (t *Tree) Root() string { return hex.EncodeToString(t.levels[len(t.levels)-1][0]) }

// Envelope returns the message about the change with an index, with the parts that come from the tree.
func (t *Tree) Envelope(i int) *Envelope {
	e := &Envelope{Change: t.leaves[i]}
	for _, level := range t.levels {
		switch other := i ^ 1; {
		case other >= len(level):
		case other < i:
			e.Path = append(e.Path, "L"+hex.EncodeToString(level[other]))
		default:
			e.Path = append(e.Path, "R"+hex.EncodeToString(level[other]))
		}
		i /= 2
	}
	return e
}

// A leaf and a node have different first bytes, so that neither passes for the other (RFC 6962, 2.1).
func leaf(text []byte) []byte { return hash(0, text, nil) }

func node(left, right []byte) []byte { return hash(1, left, right) }

func hash(kind byte, a, b []byte) []byte {
	h := sha256.New()
	h.Write([]byte{kind})
	h.Write(a)
	h.Write(b)
	return h.Sum(nil)
}
