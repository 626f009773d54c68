package org.compiere.util;

public class KeyNamePair { public KeyNamePair(int key, String name) {} }
