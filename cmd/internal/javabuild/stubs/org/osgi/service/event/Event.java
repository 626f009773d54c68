package org.osgi.service.event;

public class Event { public final String getTopic() { return null; } }
