package bgp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/netip"
	"slices"

	"github.com/rocec/rocec/targets/forwarding"
)

// Summary is the state of BGP of the default VRF.
type Summary struct {
	AS       jsonAS              `json:"as,omitempty"`
	Sessions map[string]*Session `json:"peers"` // by port or address
	Best     *bestPath           `json:"bestPath,omitempty"`
}

// bestPath states how BGP chooses paths. FRRouting prints a text.
type bestPath struct {
	Relaxed any `json:"multiPathRelax"`
}

// Relaxed reports whether the summary states that equal paths of different AS numbers are used together.
func (s *Summary) Relaxed() bool {
	return s != nil && s.Best != nil && (s.Best.Relaxed == "true" || s.Best.Relaxed == true)
}

// Session is the state of a neighbour.
type Session struct {
	AS    jsonAS `json:"remoteAs,omitempty"`
	State string `json:"state,omitempty"`
	ID    string `json:"idType,omitempty"` // "interface", "ipv4" or "ipv6"
}

// jsonAS is an AS number: a number, or a text in the notation of the instance.
//
// Source: docs.frrouting.org, BGP, "as-notation"; github.com/FRRouting/frr, lib/asn.c, asn_asn2json.
type jsonAS uint32

// UnmarshalJSON reads both forms.
func (n *jsonAS) UnmarshalJSON(data []byte) error {
	text := string(bytes.Trim(data, `"`))
	if text == "0" || text == "null" {
		*n = 0
		return nil
	}
	as, ok := asNumber(text)
	if !ok {
		return errSummary
	}
	*n = jsonAS(as)
	return nil
}

// Up reports whether a session is established. In one address family it can be up and without routes.
func (s *Session) Up() bool { return s.State == "Established" }

// summaryDepth is the depth at which an object with neighbours can be: a VRF, and an address family.
const summaryDepth = 3

// summaries are the VRF and the address families whose neighbours count.
var summaries = []string{"default", "ipv4Unicast", "ipv6Unicast"}

// ReadSummary reads the output of `show bgp summary json`, or of several such commands: FRRouting 3 prints the object of one family, later
// releases an object for each family, and with "vrf all" one for each VRF.
//
// Source: github.com/FRRouting/frr, bgpd/bgp_vty.c, bgp_show_summary, and its branches stable/3.0 and frr-10.0.
func ReadSummary(data []byte) (*Summary, error) {
	in := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	s := &Summary{Sessions: map[string]*Session{}}
	for n := 0; ; n++ {
		var raw json.RawMessage
		switch err := in.Decode(&raw); {
		case errors.Is(err, io.EOF) && n > 0:
			return s, nil
		case err != nil:
			return nil, errWhole
		}
		if err := s.add(raw, summaryDepth); err != nil {
			return nil, err
		}
	}
}

// add adds the neighbours of an object, or of the objects in it.
func (s *Summary) add(raw json.RawMessage, deep int) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return errSummary
	}
	if members["peers"] == nil {
		for name, below := range members {
			if slices.Contains(summaries, name) && deep > 0 {
				if err := s.add(below, deep-1); err != nil {
					return err
				}
			}
		}
		return nil
	}
	var has struct {
		AS    jsonAS `json:"as"`
		VRF   string `json:"vrfName"`
		Peers map[string]Session
		Best  *bestPath `json:"bestPath"`
	}
	switch err := json.Unmarshal(raw, &has); {
	case err != nil:
		return errSummary
	case has.VRF != "" && has.VRF != "default":
		return nil
	case s.AS != 0 && has.AS != s.AS:
		return errSummary
	}
	s.AS = has.AS
	if with := (&Summary{Best: has.Best}); with.Relaxed() {
		s.Best = &bestPath{"true"}
	}
	for name, peer := range has.Peers {
		if peer.State = forwarding.Plain(peer.State); s.Sessions[name] == nil || peer.Up() {
			peer.ID = forwarding.Plain(peer.ID)
			s.Sessions[name] = &peer
		}
	}
	return nil
}

// Errors for answers that are not read.
const (
	errWhole   forwarding.Unread = "it is empty or cut off"
	errSummary forwarding.Unread = "it is no summary of one BGP instance"
)

// Kept returns the summary in the form of FRRouting 3.
func (s *Summary) Kept() ([]byte, error) {
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetIndent("", " ")
	err := to.Encode(s)
	return out.Bytes(), err
}

// address returns the address of a neighbour that is named by an address.
func address(name string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(name)
	return a.WithZone(""), err == nil
}
