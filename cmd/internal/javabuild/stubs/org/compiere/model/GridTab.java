package org.compiere.model;

public class GridTab {}
