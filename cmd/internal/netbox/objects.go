package netbox

import (
	"bytes"
	"encoding/json"
	"errors"
)

// cable is an object of /api/dcim/cables/. NetBox before 3.3 and Nautobot have one end on each side, NetBox since 3.3 has lists.
type cable struct {
	ID               scalar        `json:"id"`
	Type             choice        `json:"type"`
	Status           choice        `json:"status"`
	ATerminations    []termination `json:"a_terminations"`
	BTerminations    []termination `json:"b_terminations"`
	TerminationAType string        `json:"termination_a_type"`
	TerminationBType string        `json:"termination_b_type"`
	TerminationA     *object       `json:"termination_a"`
	TerminationB     *object       `json:"termination_b"`
	Length           scalar        `json:"length"`
	LengthUnit       choice        `json:"length_unit"`
}

type termination struct {
	ObjectType string  `json:"object_type"`
	ObjectID   scalar  `json:"object_id"`
	Object     *object `json:"object"`
}

// id is the identifier of the object at an end.
func (t *termination) id() string {
	if t.ObjectID.text != "" {
		return t.ObjectID.text
	}
	return t.Object.ID.text
}

// object is the end of a cable: a port of a device, or another object.
type object struct {
	ID     scalar     `json:"id"`
	Name   string     `json:"name"`
	Device *reference `json:"device"`
	Parent *reference `json:"power_panel"`
}

// reference is an object nested in another one.
type reference struct {
	ID   scalar `json:"id"`
	Name string `json:"name"`
}

// device is an object of /api/dcim/devices/. Its role has another key in NetBox before 3.6 and Nautobot before 2.0.
type device struct {
	ID         scalar `json:"id"`
	Name       string `json:"name"`
	Role       choice `json:"role"`
	DeviceRole choice `json:"device_role"`
	DeviceType choice `json:"device_type"`
	Platform   choice `json:"platform"`
	Status     choice `json:"status"`
}

// port is an object of /api/dcim/interfaces/, front-ports/ or rear-ports/.
type port struct {
	ID               scalar     `json:"id"`
	Name             string     `json:"name"`
	Device           *reference `json:"device"`
	MgmtOnly         bool       `json:"mgmt_only"`
	RearPort         *reference `json:"rear_port"`
	RearPortPosition scalar     `json:"rear_port_position"`
	RearPorts        []struct {
		RearPort         scalar `json:"rear_port"`
		RearPortPosition scalar `json:"rear_port_position"`
	} `json:"rear_ports"` // since NetBox 4.5
}

// scalar is a number or a text, stored as text.
type scalar struct{ text string }

// UnmarshalJSON reads a number, a text or null.
func (s *scalar) UnmarshalJSON(data []byte) error {
	switch {
	case bytes.Equal(data, []byte("null")):
		return nil
	case data[0] == '"':
		return json.Unmarshal(data, &s.text)
	case data[0] == '{' || data[0] == '[':
		return errors.New("a number or a text was expected")
	}
	s.text = string(data)
	return nil
}

// choice is a word. In JSON it is a string, or an object with a value, a model or a name.
type choice struct{ word string }

// UnmarshalJSON reads a word in each of its forms.
func (c *choice) UnmarshalJSON(data []byte) error {
	switch data[0] {
	case '"':
		return json.Unmarshal(data, &c.word)
	case '{':
		var o struct {
			Value scalar `json:"value"`
			Model string `json:"model"`
			Name  string `json:"name"`
			Slug  string `json:"slug"`
		}
		if err := json.Unmarshal(data, &o); err != nil {
			return err
		}
		for _, word := range []string{o.Value.text, o.Model, o.Name, o.Slug} {
			if c.word = word; word != "" {
				break
			}
		}
	}
	return nil
}
