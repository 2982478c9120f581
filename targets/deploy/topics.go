package deploy

import "github.com/rocec/rocec/lang/diag"

// Topics contains the codes of findings about devices.
var Topics = []diag.Topic{
	topicUnread,
	topicRights,
	topicDocumented,
	topicOver,
	TopicUnsafe,
	TopicMixture,
	{Code: string(Unreachable), Summary: "device cannot be reached"},
	{Code: string(Login), Summary: "device does not let rocec in"},
	{Code: string(HostKey), Summary: "device shows another host key than the known one"},
	{Code: string(Permission), Summary: "login user may not do this"},
	{Code: string(Disk), Summary: "disk of the device does not take the files"},
	{Code: string(Locked), Summary: "device is locked by another run"},
	{Code: string(Journal), Summary: "journal of a run is not the one that the device received"},
	{Code: string(Stale), Summary: "device changed after the plan was made"},
	{Code: string(Identity), Summary: "device is not what the fabric says"},
	{Code: string(Unlike), Summary: "device is not cabled or split as the fabric says"},
	{Code: string(Unreadable), Summary: "file on the device cannot be read or edited"},
	{Code: string(Rejected), Summary: "checker of the device refuses the file"},
	{Code: string(Activation), Summary: "device did not take the new settings"},
	{Code: string(Unhealthy), Summary: "device lost something by the change"},
	{Code: string(Undone), Summary: "device went back with its wave"},
	{Code: string(NotDrained), Summary: "drain hook failed"},
}

// TopicUnsafe is for devices that cannot be changed without breaking paths that the person requires.
var TopicUnsafe = diag.Topic{
	Code: "unsafe-change", Summary: "device cannot be changed within the rules of the order",
}

// TopicMixture is for changes that lose packets while old and new settings are mixed.
var TopicMixture = diag.Topic{
	Code: "lossy-mixture", Summary: "old and new settings side by side lose packets",
}

var topicUnread = diag.Topic{
	Code: "device-unread", Summary: "PFC would begin opposite a device that rocec does not read",
}

// topicOver is for accept blocks whose last day has passed.
var topicOver = diag.Topic{Code: "accept-over", Summary: "accept block is over"}

var topicDocumented = diag.Topic{Code: "documented-only", Summary: "real device of a kind without a report from a user"}
