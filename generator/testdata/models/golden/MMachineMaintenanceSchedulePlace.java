package com.example.demo.model;

import java.sql.ResultSet;
import java.util.Properties;

/**
 * Model of XX_MachineMaintenanceSchedulePlace with its own logic. This file is written once and then yours.
 */
public class MMachineMaintenanceSchedulePlace extends X_XX_MachineMaintenanceSchedulePlace {

	private static final long serialVersionUID = 20200101L;

	public MMachineMaintenanceSchedulePlace(Properties ctx, int XX_MachineMaintenanceSchedulePlace_ID, String trxName) {
		super(ctx, XX_MachineMaintenanceSchedulePlace_ID, trxName);
	}

	public MMachineMaintenanceSchedulePlace(Properties ctx, String XX_MachineMaintenanceSchedu_UU, String trxName) {
		super(ctx, XX_MachineMaintenanceSchedu_UU, trxName);
	}

	public MMachineMaintenanceSchedulePlace(Properties ctx, ResultSet rs, String trxName) {
		super(ctx, rs, trxName);
	}

	/**
	 * Is called before the record is saved.
	 *
	 * @return false to stop; log.saveError tells the user why
	 */
	@Override
	protected boolean beforeSave(boolean newRecord) {
		return super.beforeSave(newRecord);
	}
}
