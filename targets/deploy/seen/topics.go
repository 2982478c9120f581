package seen

import "github.com/rocec/rocec/lang/diag"

// Topics are the codes of the differences between devices and the fabric.
var Topics = []diag.Topic{topicCable, topicMissing, topicSpeed, topicMTU, topicVLAN, topicBond, topicMLAG}

var topicCable = diag.Topic{
	Code: "cable-elsewhere", Summary: "cable is not where the fabric says",
}

var topicMissing = diag.Topic{
	Code: "port-missing", Summary: "device does not have a port of the fabric",
}

var topicSpeed = diag.Topic{
	Code: "port-speed", Summary: "port runs at another speed than the fabric says",
}

var topicMTU = diag.Topic{
	Code: "port-mtu", Summary: "switch port has another MTU than the fabric says",
}

var topicVLAN = diag.Topic{
	Code: "port-vlan", Summary: "switch port does not carry the VLAN of an intent with a tag",
}

var topicBond = diag.Topic{
	Code: "port-bond", Summary: "ports are not in the bonds that the fabric has",
}

var topicMLAG = diag.Topic{
	Code: "mlag-unlike", Summary: "MLAG of a switch is not as the fabric says",
}
